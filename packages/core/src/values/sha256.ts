// FIPS 180-4, for runtimes without node:crypto. The digest of Web Crypto is asynchronous and takes about 50 microseconds for
// a short text (a key, a request), because it uses another thread. This takes 4. That of node:crypto takes 0.25.

// Signed: engines are faster with these.
const parseWords = (text: string): Int32Array =>
  Int32Array.from(text.trim().split(/\s+/), (word) => Number.parseInt(word, 16))

/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
const constants = parseWords(`
  428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be
  550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa
  5cb0a9dc 76f988da 983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 27b70a85
  2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85 a2bfe8a1 a81a664b c24b8b70 c76c51a3
  d192e819 d6990624 f40e3585 106aa070 19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f
  682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
`)

/** The first 32 bits of the fractions of the square roots of the first 8 primes. */
const initialState = parseWords('6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19')

const encoder = new TextEncoder()
const words = new Int32Array(64)

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** Appends a one bit, zeros, and the message's length in bits, to fill blocks of 64 bytes. */
const pad = (message: Uint8Array): DataView => {
  const padded = new Uint8Array((((message.length + 8) >> 6) + 1) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(padded.length - 4, message.length * 8)
  return view
}

const expand = (view: DataView, offset: number): void => {
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(offset + index * 4)
  for (let index = 16; index < 64; index++) {
    const near = words[index - 2] ?? 0
    const far = words[index - 15] ?? 0
    const small = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)
    const large = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)
    words[index] = (words[index - 16] ?? 0) + small + (words[index - 7] ?? 0) + large
  }
}

const compress = (state: Int32Array): void => {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index++) {
    const mixed = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g))
    const first = h + mixed + (constants[index] ?? 0) + (words[index] ?? 0)
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < 8; index++) state[index] = (state[index] ?? 0) + (added[index] ?? 0)
}

/** Does the same as {@link sha256} on its own. */
export const computeSha256 = (text: string): string => {
  const view = pad(encoder.encode(text))
  const state = initialState.slice()
  for (let offset = 0; offset < view.byteLength; offset += 64) {
    expand(view, offset)
    compress(state)
  }
  let digits = ''
  for (const word of state) digits += (word >>> 0).toString(16).padStart(8, '0')
  return digits
}

const hash = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash

/** Hashes the UTF-8 of a text. Returns 64 lower-case hexadecimal digits. */
export const sha256: (text: string) => string = hash ? (text) => hash('sha256', text, 'hex') : computeSha256
