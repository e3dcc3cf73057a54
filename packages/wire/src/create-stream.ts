/**
 * Creates a stream of bytes that reads nothing ahead. The window of jsdom, which is `globalThis` in a vm context, has no
 * `ReadableStream`, although the `Response` that vitest adds to it is made of one.
 */
export const createStream = <Bytes extends Uint8Array>(
  source: UnderlyingDefaultSource<Bytes>,
): ReadableStream<Bytes> =>
  new (globalThis.ReadableStream ?? Object(new Response('').body).constructor)(source, { highWaterMark: 0 })
