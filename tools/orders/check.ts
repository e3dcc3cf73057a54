import type { Mock } from 'wabakit/mock'
import type { InboxEntry, InboxSelection } from 'wabakit/webhooks'
import type { Database } from '../../examples/orders/database.ts'

/** A simulated call. */
export type Call = {
  readonly channel: 'PSTN' | 'WHATSAPP'
  /** The recap of its summary, unless it can never have one. */
  readonly recap: string | undefined
}

type Request = Mock['deliveries'][number]

/** Returns the name of an event and its call, which the sender and the inbox both know. */
const toKind = (name: string | undefined, subject: string | undefined): string =>
  `${name ?? ''} ${subject ?? ''}`.trim()

const readKind = ({ name, body }: Request): string => {
  const { callId } = JSON.parse(body)
  return toKind(name, callId && `call:${callId}`)
}

/** Without an id, a repeat of such an event is another event. */
const isRepeatable = (kind: string): boolean => kind === '' || kind.startsWith('CALL_NOT_PICKED ')

const countEvents = (requests: readonly Request[]): number => new Set(requests.map(({ id }) => id)).size

const readEntries = async (
  { inbox }: Database,
  selection: InboxSelection = {},
): Promise<readonly InboxEntry[]> => {
  const entries: InboxEntry[] = []
  for (let last: InboxEntry | undefined; ; last = entries.at(-1)) {
    const page = await inbox.list(selection, { limit: 1_000, ...(last && { after: last.id }) })
    if (page.length === 0) return entries
    entries.push(...page)
  }
}

/** An event without a handler stays as it is, and a summary that was fetched before is not handled again. */
const isSettled = ({ state, reason, name }: InboxEntry): boolean =>
  state === 'handled' ||
  state === 'unhandled' ||
  (state === 'parked' && reason === 'unknown') ||
  (state === 'suppressed' && name === 'CALL_AI_SUMMARY')

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0)

type Sent = {
  readonly mock: Mock
  readonly requests: readonly Request[]
  readonly calls: ReadonlyMap<string, Call>
}

/** Returns the calls whose summary must be stored, once everything has settled. */
export const findExpected = ({ mock, requests, calls }: Sent): readonly string[] => {
  const acknowledged = new Set(requests.filter((each) => each.acknowledged).map(readKind))
  return [...calls].flatMap(([callId, { channel, recap }]) => {
    const isFetched = mock.profile === 'reference' || channel === 'PSTN'
    const isExpected = isFetched
      ? [...acknowledged].some((kind) => kind.endsWith(` call:${callId}`))
      : acknowledged.has(`CALL_AI_SUMMARY call:${callId}`)
    return recap !== undefined && isExpected ? [callId] : []
  })
}

/**
 * Returns the number of WhatsApp calls whose summary will be requested within an hour. A live service never has it, so
 * the first response must postpone the next request for a day.
 */
export const countImpatient = async ({ mock, calls }: Sent, database: Database): Promise<number> => {
  if (mock.profile === 'reference') return 0
  const isWhatsapp = ({ subject }: InboxEntry) => calls.get(subject?.slice(5) ?? '')?.channel === 'WHATSAPP'
  const missing = await readEntries(database, { state: 'missing' })
  return missing.filter((entry) => isWhatsapp(entry) && entry.dueAt.getTime() < Date.now() + 3_600_000).length
}

/**
 * Compares what a sender knows with the inbox and the application's tables, and counts each kind of mistake. `kills`
 * is the number of requests for summaries that may have been sent twice.
 */
export const check = async (sent: Sent, { database, kills }: { database: Database; kills: number }) => {
  const { mock, requests, calls } = sent
  const received = (await readEntries(database)).filter(({ source }) => source === 'webhook')
  const entries = Map.groupBy(received, ({ name, subject }) => toKind(name, subject))
  const kinds = Map.groupBy(requests, readKind)
  let [lost, doubled] = [0, 0]
  for (const [kind, attempts] of kinds) {
    const acknowledged = countEvents(attempts.filter((each) => each.acknowledged))
    const most = mock.profile === 'live' && isRepeatable(kind) ? attempts.length : countEvents(attempts)
    const stored = entries.get(kind) ?? []
    lost += Math.max(0, acknowledged - stored.filter(isSettled).length)
    doubled += Math.max(0, stored.length - most)
  }

  const rings = new Map(
    (await database.query('SELECT * FROM rings')).map((row) => [String(row.call_id), Number(row.unanswered)]),
  )
  let notPicked = 0
  for (const callId of calls.keys()) {
    const kind = `CALL_NOT_PICKED call:${callId}`
    const acknowledged = countEvents((kinds.get(kind) ?? []).filter((each) => each.acknowledged))
    notPicked += acknowledged
    const [handled, stored] = [rings.get(callId) ?? 0, entries.get(kind)?.length ?? 0]
    lost += Math.max(0, acknowledged - handled)
    doubled += Math.max(0, handled - stored)
  }

  const summaries = await database.query('SELECT * FROM summaries')
  const stored = new Map(summaries.map((row) => [String(row.call_id), row.recap]))
  const expected = findExpected(sent)

  // A live service has no summary of a WhatsApp call, so requesting it again within a day is useless.
  const asked = Map.groupBy(
    mock.requests.filter(({ endpoint }) => endpoint === 'calls.getSummary'),
    ({ query }) => query.callId ?? '',
  )
  const askedAgain = [...asked].map(([callId, { length }]) =>
    mock.profile === 'live' && calls.get(callId)?.channel === 'WHATSAPP' ? length - 1 : 0,
  )
  return {
    acknowledged: countEvents(requests.filter((each) => each.acknowledged)),
    handled: received.filter(({ state }) => state === 'handled').length,
    setAside: received.filter(({ state }) => state === 'unhandled' || state === 'parked').length,
    /** Acknowledged CALL_NOT_PICKED, and those that the application has counted. */
    notPicked,
    rings: sum(rings.values()),
    expected: expected.length,
    summaries: summaries.length,
    asked: sum([...asked.values()].map(({ length }) => length)),
    mistakes: {
      /** Acknowledged events that were neither handled nor set aside. */
      lost,
      /** Events that were handled or stored more often than they were sent. */
      doubled,
      /** Calls without the summary that they must have. */
      missing: expected.filter((callId) => !stored.has(callId)).length,
      wrong: [...stored].filter(([callId, recap]) => calls.get(callId)?.recap !== recap).length,
      /** Requests for the summaries of WhatsApp calls, beyond one per call and those that a kill interrupted. */
      inVain: Math.max(0, sum(askedAgain) - kills) + (await countImpatient(sent, database)),
    },
  }
}
