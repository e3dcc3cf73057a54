/**
 * Compares the changes that a server acknowledged with the contents of its database and with the webhooks that arrived.
 * It runs as a separate process that shares no code with the server: it queries the database with its own SQL, and
 * verifies signatures itself.
 *
 * Arguments: the database; the files of acknowledgements, arrivals, attempts and ends; and the possible signing
 * secrets, separated by commas. Prints a {@link Verdict} as JSON.
 */
import { createHmac } from 'node:crypto'
import { type CountedFigures, checkFigures } from './figure-rules.ts'
import { checkHealth } from './health-rules.ts'
import { type Acknowledgement, type Arrival, type AttemptLine, type EndLine, readLines } from './lines.ts'
import { checkOwners, type OwnerFigures } from './owner-rules.ts'
import { readDatabase } from './read-database.ts'

/** The findings of the checker. */
export type Verdict = OwnerFigures &
  CountedFigures & {
    readonly acknowledged: number
    readonly events: number
    /** Number of health events. */
    readonly told: number
    readonly arrivals: number
    /** Number of arrivals of an event that had arrived before. */
    readonly duplicates: number
    /** Number of violations of each rule; empty if there are none. */
    readonly problems: Record<string, number>
    /** The first violations. */
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

/** Returns the identity of an event from its payload alone. Each identity occurs once. */
const getIdentity = (payload: string): string => {
  const { event, groupId, callId } = JSON.parse(payload)
  return `${event} ${groupId ?? callId}`
}

// Every acknowledged change is stored with its event.
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

// No event is published twice.
for (const [identity, events] of published) if (events.length > 1) report('event published twice', identity)

// Every event arrived with one id, the published body and a valid signature.
const byId = new Map(contents.events.map((event) => [event.id, event]))
const arrivedById = group(arrivals, ({ id }) => id)
for (const { id, name, subject } of contents.events) {
  if (!arrivedById.has(id)) report('event never arrived', `${id} ${name} ${subject}`)
}
for (const [identity, each] of group(arrivals, ({ body }) => getIdentity(body))) {
  if (new Set(each.map(({ id }) => id)).size > 1) report('duplicate with a different webhook-id', identity)
}
const keys = secrets.split(',').map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
for (const { id, timestamp, signature, body } of arrivals) {
  const event = byId.get(id)
  if (event === undefined) report('arrived but never published', `${id} ${getIdentity(body)}`)
  else if (event.payload !== body) report('arrived with a different body', id)
  const signed = `${id}.${timestamp}.${body}`
  const expected = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  if (!signature.split(' ').some((each) => expected.includes(each))) report('wrong signature', id)
}

// The first arrivals of each call's and group's events are in the order in which the events happened.
const firstArrival = new Map<string, number>()
for (const [index, { id }] of arrivals.entries()) if (!firstArrival.has(id)) firstArrival.set(id, index)
for (const [subject, events] of group(contents.events, (event) => event.subject)) {
  const order = events.map(({ id }) => firstArrival.get(id) ?? -1).filter((index) => index !== -1)
  if (order.some((index, place) => index < (order[place - 1] ?? -1))) report('out of order', subject)
}

// The recorded state of each delivery is correct.
for (const { eventId, status, attempts, recorded, succeeded } of contents.deliveries) {
  if (status === 'delivered' && !arrivedById.has(eventId)) report('delivered without arriving', eventId)
  if (status !== 'delivered') report(`still ${status} at the end`, eventId)
  if (recorded !== attempts) report('attempts not recorded', `${eventId}: ${recorded} of ${attempts}`)
  if (succeeded !== Number(status === 'delivered')) report('settled twice', `${eventId}: ${succeeded} times`)
}

checkHealth(contents, report)

const verdict: Verdict = {
  ...checkFigures({ ...contents, attempts, ends }, report),
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
