const { TestEnvironment } = require('jest-environment-jsdom')

/** jsdom with what its window lacks: fetch, streams, WebCrypto, and Node's builds of packages. */
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
