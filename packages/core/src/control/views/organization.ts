import { JoinApprovalMode } from '@wabakit/contract'
import * as z from 'zod/mini'
import type { ApiKeyRecord, OrganizationRecord } from '../../index.ts'
import { named, Utc, UtcOrNull } from '../schemas.ts'

export const OrganizationView = named(
  'Organization',
  'An organization, its settings and its numbers.',
  z.object({
    id: z.string(),
    callSummaries: z.enum(['automatic', 'manual']),
    integrations: z.array(
      z.object({ wabaNumber: z.string(), enabled: z.boolean(), joinApprovalMode: JoinApprovalMode }),
    ),
    pstnNumbers: z.array(z.string()),
    createdAt: Utc,
  }),
)

export const showOrganization = (record: OrganizationRecord) =>
  z.encode(OrganizationView, {
    ...record,
    integrations: record.integrations.map(({ number, ...rest }) => ({ ...rest, wabaNumber: number })),
    pstnNumbers: record.pstnNumbers.map(({ number }) => number),
  })

const apiKey = {
  id: z.string(),
  label: z.string(),
  wabaNumbers: z.union([z.literal('all'), z.array(z.string())]),
  fingerprint: z.string(),
  createdAt: Utc,
}

export const ApiKeyView = named(
  'ApiKey',
  'An API key, without the key itself. `fingerprint` is the beginning of its SHA-256. `lastRequestAt` is the time of its last request in the list of requests; null if the list has none.',
  z.object({ ...apiKey, lastRequestAt: UtcOrNull }),
)
export const NewApiKeyView = named(
  'NewApiKey',
  'An API key that has just been created. This is the only response that contains the key.',
  z.object({ ...apiKey, lastRequestAt: UtcOrNull, key: z.string() }),
)

export const showApiKey = (record: ApiKeyRecord, lastRequestAt: number | null) =>
  z.encode(ApiKeyView, {
    ...record,
    lastRequestAt,
    wabaNumbers: record.wabaNumbers === 'all' ? 'all' : [...record.wabaNumbers],
    fingerprint: record.hash.slice(0, 8),
  })
