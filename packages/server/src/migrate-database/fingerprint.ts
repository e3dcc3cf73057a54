import { createHash } from 'node:crypto'

/** What a table holds, whatever the order of its rows. */
export type Fingerprint = {
  readonly rows: number
  /** 32 hexadecimal digits. */
  readonly digest: string
}

/** A fingerprint in the making. */
export type FingerprintMaker = {
  /** Adds a row, as a JSON value. */
  add(row: unknown): void
  result(): Fingerprint
}

const half = 64

/**
 * Makes the fingerprint of a table: of the SHA-256 of each row, 128 bits, added up. So two databases need not agree on
 * an order, and a row that is missing, doubled or changed shows.
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

/** Whether two tables hold the same. */
export const isSame = (left: Fingerprint, right: Fingerprint): boolean =>
  left.rows === right.rows && left.digest === right.digest
