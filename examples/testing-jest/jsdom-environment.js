const { TestEnvironment } = require('jest-environment-jsdom')

/** jsdom with what its window lacks: fetch, streams, WebCrypto, and packages in their form for Node. */
module.exports = class extends TestEnvironment {
  constructor(...options) {
    super(...options)
    const { AbortController, AbortSignal, Headers, ReadableStream, Request, Response, fetch } = globalThis
    const { TextDecoder, TextEncoder, crypto, structuredClone } = globalThis
    Object.assign(this.global, {
      AbortController,
      AbortSignal,
      Headers,
      ReadableStream,
      Request,
      Response,
      fetch,
    })
    Object.assign(this.global, { TextDecoder, TextEncoder, crypto, structuredClone })
  }

  exportConditions() {
    return ['node', 'node-addons']
  }
}
