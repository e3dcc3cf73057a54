import { createBulkSecretHider, maskUrl } from '@wabakit/wire'
import type { TestLogEntry, WireAttempt } from '../control/index.ts'
import { listQuerySecrets } from '../delivery/response-body.ts'
import type { LoggedBodies, LoggedRequest } from '../hosting/request-log.ts'
import { saveRecords } from '../memory-store/saved-records.ts'
import type { Contents } from '../memory-store/tables.ts'
import type { SubscriptionRecord } from '../records.ts'
import type { EndpointFault, PlannedFault } from '../simulation/index.ts'
import type { Store } from '../store.ts'
import { writeObjects } from './object-text.ts'

/** A mock's record of a test, apart from the contents of its store. */
export type Told = {
  readonly version: string
  /** The organization under test. */
  readonly organizationId: string
  /** Time on the mock's clock, as Unix time in milliseconds. */
  readonly now: number
  readonly isVirtual: boolean
  readonly log: readonly TestLogEntry[]
  readonly waits: readonly { readonly wait: string; readonly reasons: readonly string[] }[]
  readonly due: readonly { readonly at: number; readonly description: string }[]
  /** Due times of delayed summaries, by the ids of their calls. */
  readonly dueSummaries: Readonly<Record<string, number>>
  readonly apiFaults: readonly PlannedFault<EndpointFault>[]
  readonly deliveryFaults: readonly PlannedFault<Readonly<Record<string, unknown>>>[]
  readonly requests: readonly (LoggedRequest & LoggedBodies)[]
  /** The requests that were actually sent for the attempts of each delivery. */
  readonly wires: ReadonlyMap<string, readonly WireAttempt[]>
}

export type Trace = Told & { readonly records: Contents }

type SaveOptions = {
  readonly store: Store
  /** Selects subscriptions that are left out, with their deliveries. */
  readonly isHidden: (subscription: SubscriptionRecord) => boolean
  /** The secrets of the test. Those of subscriptions need not be listed. */
  readonly secrets: readonly string[]
}

const isSubscription = (value: object): value is SubscriptionRecord =>
  'previousSecret' in value && 'secret' in value

const withoutSecrets = (record: SubscriptionRecord): SubscriptionRecord => ({
  ...record,
  url: maskUrl(record.url),
  secret: '',
  previousSecret: record.previousSecret && { ...record.previousSecret, secret: '' },
  headers: Object.fromEntries(Object.keys(record.headers).map((name) => [name, ''])),
})

/** Lists the secrets of a subscription, which a receiver may have repeated in a response. */
const listSecrets = ({ secret, previousSecret, headers, url }: SubscriptionRecord): string[] => [
  secret,
  previousSecret?.secret ?? '',
  ...Object.values(headers),
  ...listQuerySecrets(url),
]

/** Writes what happened in a test as text that {@link openTrace} reads, without secrets, keys and tokens. */
export const saveTrace = (told: Told, { store, isHidden, secrets }: SaveOptions): string => {
  const records = saveRecords(store, isHidden)
  const known = [...records.queues.values()].flatMap(({ record }) => listSecrets(record))
  const all = [...secrets, ...known].filter((secret) => secret !== '')
  return writeObjects({ ...told, records } satisfies Trace, {
    replace: (value) => (isSubscription(value) ? withoutSecrets(value) : value),
    hide: createBulkSecretHider(all),
  })
}
