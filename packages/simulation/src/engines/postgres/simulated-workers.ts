import type { Store } from '@wabakit/core'
import { getTrueTime, type RunContext } from '../../cluster/run-context.ts'
import type { Session } from './simulated-sessions.ts'

/** Time for which a worker must be lost before its claims are taken over, in milliseconds, as in `check_workers`. */
const graceMs = 2_000

type Row = { readonly session: Session; lostAt: number | undefined }
type Claim = { readonly claimId: string; readonly worker: number }

/** What `check_workers` returns. */
export type CheckedWorkers = {
  readonly backend: number
  readonly is_registered: boolean
  readonly released: number
  readonly wait_ms: number | null
}

/** The table of workers, and the claims of each: what the SQL functions of workers do. */
export const createWorkers = (run: RunContext, store: Store) => {
  const rows = new Map<number, Row>()
  const claims = new Map<string, Claim>()
  let last = 0

  const isHeld = ({ session }: Row, number: number): boolean => session.isOpen && session.worker === number

  const release = async (number: number, { session }: Row): Promise<number> => {
    const own = [...claims].filter(([, { worker }]) => worker === number)
    for (const [deliveryId, { claimId }] of own) {
      claims.delete(deliveryId)
      const now = getTrueTime(run)
      await store.settleDelivery({
        deliveryId,
        claimId,
        now,
        result: { kind: 'released' },
        failingLimitMs: 1,
      })
    }
    const server = session.user.name
    // One that lives and runs has had time to end its attempts.
    const isExcused = session.user.owner.state !== 'running'
    run.observe({ kind: 'claims lost', server, deliveryIds: own.map(([id]) => id), isExcused })
    return own.length
  }

  return {
    register: (session: Session): number => {
      const number = ++last
      session.worker = number
      rows.set(number, { session, lostAt: undefined })
      run.record?.({ server: session.user.name, method: 'worker registered', worker: number })
      return number
    },
    unregister: (session: Session): void => {
      const { worker, user } = session
      if (worker !== undefined) run.record?.({ server: user.name, method: 'worker lost', worker })
      session.worker = undefined
    },
    isKnown: (number: number): boolean => rows.has(number),
    noteClaim: (deliveryId: string, claim: Claim): void => void claims.set(deliveryId, claim),
    noteSettled: (deliveryId: string): void => void claims.delete(deliveryId),
    check: async (own: number | null): Promise<CheckedWorkers> => {
      const now = getTrueTime(run)
      let released = 0
      let waitMs: number | null = null
      let hasEffect = false
      for (const [number, row] of rows) {
        if (isHeld(row, number)) continue
        hasEffect ||= row.lostAt === undefined || row.lostAt + graceMs <= now
        row.lostAt ??= now
        const leftMs = row.lostAt + graceMs - now
        if (leftMs > 0) {
          waitMs = Math.min(waitMs ?? leftMs, leftMs)
          continue
        }
        released += await release(number, row)
        rows.delete(number)
      }
      if (hasEffect) run.record?.({ server: 'store', method: 'workers checked', now })
      const ownRow = own === null ? undefined : rows.get(own)
      const isRegistered = ownRow !== undefined && ownRow.lostAt === undefined
      return { backend: 2, is_registered: isRegistered, released, wait_ms: waitMs }
    },
  }
}
