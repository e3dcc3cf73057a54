import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import type { Random } from '../random.ts'

type Operation =
  | { readonly kind: 'write'; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly size: number }

/** The contents of a file: the first `size` bytes. The rest of the buffer is zeros. */
type Contents = { readonly bytes: Buffer; readonly size: number }

type DiskFile = {
  /** The contents that are certain to survive. */
  contents: Contents
  /** The operations since the last sync. */
  pending: Operation[]
  /** Set if the file's name is certain to survive. */
  isNamed: boolean
  /** Set if the file was unlinked, which is not certain to survive either. */
  isUnlinked: boolean
}

/** The state of the disk at a loss of power. */
export type PowerLoss = {
  /** Number of unsynced writes. */
  readonly unsynced: number
  /** Set if the database file also had unsynced writes, not only its write-ahead log. */
  readonly isCheckpoint: boolean
}

/** A disk that keeps synced data and an arbitrary part of the rest. */
export type PowerDisk = {
  /** Changes the files as a power loss would. The server must be dead. */
  losePower(): PowerLoss
}

/** Size of the unit that a disk writes completely or not at all. */
const sectorBytes = 512

const empty: Contents = { bytes: Buffer.alloc(0), size: 0 }

const grow = (bytes: Buffer, size: number): Buffer =>
  size > bytes.length ? Buffer.concat([bytes, Buffer.alloc(2 * size - bytes.length)]) : bytes

const apply = ({ bytes, size }: Contents, operation: Operation): Contents => {
  if (operation.kind === 'truncate') {
    return { bytes: grow(bytes.fill(0, operation.size), operation.size), size: operation.size }
  }
  const end = operation.offset + operation.data.length
  const grown = grow(bytes, end)
  operation.data.copy(grown, operation.offset)
  return { bytes: grown, size: Math.max(size, end) }
}

/** Splits a write at sector boundaries. */
const split = (operation: Operation): Operation[] => {
  if (operation.kind === 'truncate') return [operation]
  const { offset, data } = operation
  const parts: Operation[] = []
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + sectorBytes - ((offset + from) % sectorBytes))
    parts.push({ kind: 'write', offset: offset + from, data: data.subarray(from, to) })
    from = to
  }
  return parts
}

/** Functions that choose the unsynced operations to keep: none, all, the first ones, or a random subset. */
const ways: readonly ((operations: readonly Operation[], random: Random) => readonly Operation[])[] = [
  () => [],
  (operations) => operations,
  (operations, random) => operations.slice(0, random.between(0, operations.length)),
  (operations, random) => operations.filter(() => random.happens(0.5)),
]

/** Reads the records of `power.c`. */
function* readRecords(log: Buffer) {
  for (let at = 0; at < log.length; ) {
    const kind = String.fromCharCode(log.readUInt8(at))
    const nameLength = log.readUInt8(at + 1)
    const offset = Number(log.readBigUInt64LE(at + 2))
    const length = log.readUInt32LE(at + 10)
    const dataAt = at + 14 + nameLength
    at = dataAt + (kind === 'W' ? length : 0)
    yield {
      kind,
      name: log.toString('utf8', dataAt - nameLength, dataAt),
      offset,
      data: log.subarray(dataAt, at),
    }
  }
}

/**
 * Tracks the state of a disk.
 *
 * @param database - the path of the database. The files next to it are on the disk as well.
 * @param log - the records of `power.c`.
 */
export const createPowerDisk = (
  { database, log }: { readonly database: string; readonly log: string },
  random: Random,
): PowerDisk => {
  const files = new Map<string, DiskFile>()

  const replay = (): void => {
    for (const { kind, name, offset, data } of readRecords(readFileSync(log))) {
      const found = files.get(name)
      if (kind === 'D') {
        for (const [each, file] of files) {
          file.isNamed = true
          if (file.isUnlinked) files.delete(each)
        }
      } else if (kind === 'C') {
        files.set(name, { contents: empty, pending: [], isNamed: false, isUnlinked: false })
      } else if (found === undefined) {
        throw new Error(`${database}${name} did not exist.`)
      } else if (kind === 'U') {
        found.isUnlinked = true
      } else if (kind === 'W') {
        found.pending.push({ kind: 'write', offset, data })
      } else if (kind === 'T') {
        found.pending.push({ kind: 'truncate', size: offset })
      } else {
        found.contents = found.pending.reduce(apply, found.contents)
        found.pending = []
      }
    }
    truncateSync(log)
  }

  return {
    losePower: () => {
      replay()
      const way = ways[random.between(0, ways.length - 1)] ?? (() => [])
      const unsynced = [...files.values()].reduce((sum, { pending }) => sum + pending.length, 0)
      const isCheckpoint = (files.get('')?.pending.length ?? 0) > 0
      for (const suffix of ['', '-wal', '-journal', '-shm', '-lock'])
        rmSync(`${database}${suffix}`, { force: true })
      for (const [name, file] of files) {
        const isGone = file.isUnlinked ? random.happens(0.5) : !file.isNamed && random.happens(0.5)
        if (isGone) {
          files.delete(name)
          continue
        }
        const kept = way(file.pending.flatMap(split), random)
        const contents = kept.reduce(apply, file.contents)
        files.set(name, { contents, pending: [], isNamed: true, isUnlinked: false })
        writeFileSync(`${database}${name}`, contents.bytes.subarray(0, contents.size), { mode: 0o600 })
      }
      return { unsynced, isCheckpoint }
    },
  }
}
