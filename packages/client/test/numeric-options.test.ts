import * as client from '@wabakit/client'
import { type NumericOptions, testNumericOptions } from '../../../tools/numeric-options.ts'

const settings = { baseUrl: 'https://api.example.com', apiKey: 'wk_0123456789' }
const { createClient } = client
const { groups, calls } = createClient(settings)
const group = { wabaNumber: '+15550100001', subject: 'Team' }

testNumericOptions('client', {
  createClient: {
    timeoutMs: (timeoutMs) => createClient({ ...settings, timeoutMs }),
    totalTimeoutMs: (totalTimeoutMs) => createClient({ ...settings, totalTimeoutMs }),
    'retry.limit': (limit) => createClient({ ...settings, retry: { limit } }),
    'retry.maxRetryAfterMs': (maxRetryAfterMs) => createClient({ ...settings, retry: { maxRetryAfterMs } }),
  },
} satisfies NumericOptions<typeof client>)

testNumericOptions('groups', {
  create: { timeoutMs: (timeoutMs) => groups.create(group, { timeoutMs }) },
} satisfies NumericOptions<typeof groups>)

testNumericOptions('calls', {
  getSummary: { timeoutMs: (timeoutMs) => calls.getSummary('call-1', { timeoutMs }) },
  waitForSummary: {
    timeoutMs: (timeoutMs) => calls.waitForSummary('call-1', { timeoutMs }),
    maxWaitMs: (maxWaitMs) => calls.waitForSummary('call-1', { maxWaitMs }),
    intervalMs: (intervalMs) => calls.waitForSummary('call-1', { intervalMs }),
    notFoundGraceMs: (notFoundGraceMs) => calls.waitForSummary('call-1', { notFoundGraceMs }),
  },
} satisfies NumericOptions<typeof calls>)
