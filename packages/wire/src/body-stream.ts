import { createStream } from './create-stream.ts'

/**
 * Returns the body of a request as a stream, which has no bytes if there is none. Firefox has no `Request.body`: there, the
 * stream is a single chunk, because a request is in memory anyway.
 */
export const toBodyStream = (request: Request): ReadableStream<Uint8Array> =>
  request.body ??
  createStream({
    pull: async (controller) => {
      controller.enqueue(new Uint8Array(await request.arrayBuffer()))
      controller.close()
    },
  })
