import { createHash } from 'node:crypto'

/** The fingerprint of a table's rows, independent of their order. */
export type Fingerprint = {
  readonly rows: number
  /** 32 hexadecimal digits. */
  readonly digest: string
}

export type FingerprintMaker = {
  /** Adds a row as a JSON value. */
  add(row: unknown): void
  result(): Fingerprint
}

const half = 64

/**
 * Adds up 128 bits of each row's SHA-256. The order of the rows does not matter, but a missing, repeated or changed row
 * changes the sum.
 */
export const createFingerprint = (): FingerprintMaker => {
  let rows = 0
  let [low, high] = [0n, 0n]
  return {
    add: (row) => {
      const hash = createHash('sha256').update(JSON.stringify(row)).digest()
      low = BigInt.asUintN(half, low + hash.readBigUInt64LE(0))
      high = BigInt.asUintN(half, high + hash.readBigUInt64LE(8))
      rows++
    },
    result: () => ({ rows, digest: ((high << BigInt(half)) + low).toString(16).padStart(32, '0') }),
  }
}

/** Returns whether two tables have the same rows. */
export const isSame = (left: Fingerprint, right: Fingerprint): boolean =>
  left.rows === right.rows && left.digest === right.digest
