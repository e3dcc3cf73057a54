import type { ClaimEntry, Contents } from './contents.ts'
import { runSql } from './postgres-sql.ts'

const readKind = (kind: unknown): ClaimEntry['kind'] =>
  kind === 'claimed' || kind === 'settled' || kind === 'released' ? kind : 'dropped'

/** Reads a PostgreSQL database by SQL of its own. */
export const readPostgres = async (address: string): Promise<Contents> => {
  const groups = await runSql(address, 'SELECT client_custom_group_id AS id FROM wabakit.groups')
  const summaries = await runSql(
    address,
    "SELECT call_id, summary ->> 'recap' AS recap FROM wabakit.summaries",
  )
  const events = await runSql(
    address,
    'SELECT id, name, subject, payload FROM wabakit.events ORDER BY position',
  )
  const deliveries = await runSql(
    address,
    `SELECT e.id, d.status, d.attempts, count(a.number) AS recorded, count(*) FILTER (WHERE a.succeeded) AS succeeded
     FROM wabakit.deliveries d JOIN wabakit.events e ON e.position = d.event
     LEFT JOIN wabakit.attempts a USING (subscription, event) GROUP BY e.id, d.position`,
  )
  const claims = await runSql(
    address,
    `SELECT e.id, c.kind, c.claim_id, c.process, c.at, c.lease_left_ms, c.lost_ms
     FROM torture.claims c JOIN wabakit.events e ON e.position = c.event ORDER BY c.position`,
  )
  return {
    groupIds: new Set(groups.map(({ id }) => String(id))),
    summaries: new Map(summaries.map(({ call_id, recap }) => [String(call_id), String(recap)])),
    events: events.map((row) => ({
      id: String(row.id),
      name: String(row.name),
      subject: String(row.subject),
      payload: String(row.payload),
    })),
    deliveries: deliveries.map((row) => ({
      eventId: String(row.id),
      status: String(row.status),
      attempts: Number(row.attempts),
      recorded: Number(row.recorded),
      succeeded: Number(row.succeeded),
    })),
    claims: claims.map((row) => ({
      eventId: String(row.id),
      kind: readKind(row.kind),
      claimId: String(row.claim_id),
      process: String(row.process),
      at: Number(row.at),
      leaseLeftMs: row.lease_left_ms === null ? undefined : Number(row.lease_left_ms),
      lostMs: row.lost_ms === null ? undefined : Number(row.lost_ms),
    })),
  }
}
