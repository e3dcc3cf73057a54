/** A growing buffer of the chunks of a body. */
export type ByteCollector = {
  /** Adds a chunk, which may come from another realm. */
  add(chunk: ArrayBufferView): void
  /** Number of bytes so far. */
  readonly length: number
  /** Number of bytes that are allocated for them: at most twice as many. */
  readonly allocated: number
  /**
   * Returns the bytes, in a buffer that contains nothing else. The type is `Uint8Array<ArrayBuffer>`, but TypeScript 5.6
   * does not know the type parameter.
   */
  toBytes(): ReturnType<Uint8Array['slice']>
}

const empty = /* @__PURE__ */ new Uint8Array()

/**
 * Creates a collector with one growing buffer. A list of chunks would be unsafe: a chunk may be a view of one byte on
 * a buffer of 64 KiB, which it keeps alive, and even a chunk with its own buffer takes about 200 bytes. A sender
 * of single bytes could exhaust the memory with little traffic.
 */
export const createByteCollector = (): ByteCollector => {
  let buffer = empty
  // Avoids getters, because V8 would create a hidden class for each collector, and keep it for a while.
  const collector = {
    length: 0,
    allocated: 0,
    add: (chunk: ArrayBufferView): void => {
      const { buffer: source, byteOffset, byteLength } = chunk
      const { length } = collector
      const needed = length + byteLength
      // The only chunk of most bodies needs no copy if its buffer contains nothing else.
      if (length === 0 && byteLength === source.byteLength) {
        buffer = new Uint8Array(source as ArrayBuffer)
      } else {
        if (needed > buffer.length) {
          const grown = new Uint8Array(Math.max(needed, 2 * buffer.length))
          grown.set(buffer)
          buffer = grown
        }
        buffer.set(new Uint8Array(source, byteOffset, byteLength), length)
      }
      collector.length = needed
      collector.allocated = buffer.length
    },
    toBytes: () => (collector.length === buffer.length ? buffer : buffer.slice(0, collector.length)),
  }
  return collector
}
