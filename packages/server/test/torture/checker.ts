/**
 * Compares what a server acknowledged with what its database holds and with what arrived at the endpoints. A process
 * of its own, which shares no code with the server: it asks the database by SQL, and checks signatures by itself.
 *
 * Arguments: the database, the files of acknowledgements, of arrivals, of attempts and of ends, and the secrets that may
 * have signed, separated by commas. Prints a {@link Verdict} as JSON.
 */
import { createHmac } from 'node:crypto'
import { checkHealth } from './health-rules.ts'
import { type Acknowledgement, type Arrival, type AttemptLine, type EndLine, readLines } from './lines.ts'
import { checkOwners, type OwnerFigures } from './owner-rules.ts'
import { readDatabase } from './read-database.ts'

/** What the checker found. */
export type Verdict = OwnerFigures & {
  readonly acknowledged: number
  readonly events: number
  /** What operators were told of subscriptions. */
  readonly told: number
  readonly arrivals: number
  /** Arrivals of an event that had arrived before. */
  readonly duplicates: number
  /** How often each rule was broken; empty when all is well. */
  readonly problems: Record<string, number>
  /** The first of them. */
  readonly examples: string[]
}

const [database = '', acknowledgements = '', arrivalFile = '', attemptFile = '', endFile = '', secrets = ''] =
  process.argv.slice(2)
const contents = await readDatabase(database)
const acknowledged = readLines<Acknowledgement>(acknowledgements)
const arrivals = readLines<Arrival>(arrivalFile)
const attempts = readLines<AttemptLine>(attemptFile)
const ends = readLines<EndLine>(endFile)

const problems: Record<string, number> = {}
const examples: string[] = []
const report = (rule: string, what: string): void => {
  problems[rule] = (problems[rule] ?? 0) + 1
  if (examples.length < 20) examples.push(`${rule}: ${what}`)
}

const group = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** What an event is about, by its payload alone: these happen once. */
const getIdentity = (payload: string): string => {
  const { event, groupId, callId } = JSON.parse(payload)
  return `${event} ${groupId ?? callId}`
}

// What was acknowledged is there, with the event that tells it.
const published = group(contents.events, ({ payload }) => getIdentity(payload))
for (const each of acknowledged) {
  switch (each.kind) {
    case 'group':
      if (!contents.groupIds.has(each.groupId)) report('lost group', each.groupId)
      if (!published.has(`GROUP_CREATED ${each.groupId}`))
        report('lost event', `GROUP_CREATED ${each.groupId}`)
      break
    case 'step':
      if (!published.has(`${each.event} ${each.callId}`)) report('lost event', `${each.event} ${each.callId}`)
      break
    case 'summary': {
      const isThere = contents.summaries.has(each.callId)
      if (!isThere) report('lost summary', each.callId)
      if (!published.has(`CALL_AI_SUMMARY ${each.callId}`))
        report('lost event', `CALL_AI_SUMMARY ${each.callId}`)
    }
  }
}

// Nothing happens twice.
for (const [identity, events] of published) if (events.length > 1) report('event published twice', identity)

// Every event arrived, under one id, as it was published, with a signature.
const byId = new Map(contents.events.map((event) => [event.id, event]))
const arrivedById = group(arrivals, ({ id }) => id)
for (const { id, name, subject } of contents.events) {
  if (!arrivedById.has(id)) report('event never arrived', `${id} ${name} ${subject}`)
}
for (const [identity, each] of group(arrivals, ({ body }) => getIdentity(body))) {
  if (new Set(each.map(({ id }) => id)).size > 1) report('duplicate with another webhook-id', identity)
}
const keys = secrets.split(',').map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
for (const { id, timestamp, signature, body } of arrivals) {
  const event = byId.get(id)
  if (event === undefined) report('arrived without ever having happened', `${id} ${getIdentity(body)}`)
  else if (event.payload !== body) report('arrived with another body', id)
  const signed = `${id}.${timestamp}.${body}`
  const expected = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  if (!signature.split(' ').some((each) => expected.includes(each))) report('wrong signature', id)
}

// Each call's and group's events arrived, for the first time, in the order they happened.
const firstArrival = new Map<string, number>()
for (const [index, { id }] of arrivals.entries()) if (!firstArrival.has(id)) firstArrival.set(id, index)
for (const [subject, events] of group(contents.events, (event) => event.subject)) {
  const order = events.map(({ id }) => firstArrival.get(id) ?? -1).filter((index) => index !== -1)
  if (order.some((index, place) => index < (order[place - 1] ?? -1))) report('out of order', subject)
}

// What the database says of the deliveries is so.
for (const { eventId, status, attempts, recorded, succeeded } of contents.deliveries) {
  if (status === 'delivered' && !arrivedById.has(eventId)) report('delivered without arriving', eventId)
  if (status !== 'delivered') report(`left ${status}`, eventId)
  if (recorded !== attempts) report('attempts not recorded', `${eventId}: ${recorded} of ${attempts}`)
  if (succeeded !== Number(status === 'delivered')) report('settled twice', `${eventId}: ${succeeded} times`)
}

checkHealth(contents, report)

const verdict: Verdict = {
  ...checkOwners({ ...contents, attempts, ends }, report),
  acknowledged: acknowledged.length,
  events: contents.events.length,
  told: contents.health.length,
  arrivals: arrivals.length,
  duplicates: arrivals.length - arrivedById.size,
  problems,
  examples,
}
console.log(JSON.stringify(verdict))
