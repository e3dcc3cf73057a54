import * as conformance from '@wabakit/conformance'
import { type NumericOptions, testNumericOptions } from '../../../tools/numeric-options.ts'
import { defaultLimits } from '../src/endpoint/options.ts'

const { examineEndpoint, probeService } = conformance
const endpoint = { url: 'http://127.0.0.1:1/', headers: { 'x-token': 't' } }
const probe = { baseUrl: 'http://127.0.0.1:1', apiKey: 'wk_0123456789' }
const limit = (run: (limits: Partial<conformance.Limits>) => unknown) =>
  Object.fromEntries(
    Object.keys(defaultLimits).map((name) => [`limits.${name}`, (value: number) => run({ [name]: value })]),
  ) as Record<`limits.${keyof conformance.Limits}`, (value: number) => unknown>

testNumericOptions('conformance', {
  examineEndpoint: {
    timeoutMs: (timeoutMs) => examineEndpoint({ ...endpoint, timeoutMs }),
    seed: (seed) => examineEndpoint({ ...endpoint, seed }),
    ...limit((limits) => examineEndpoint({ ...endpoint, limits })),
  },
  probeService: { intervalMs: (intervalMs) => probeService({ ...probe, intervalMs }) },
  // A plan uses no number, a report was made by an examination, a form is only shown, and a schema has parsed a profile.
} satisfies NumericOptions<
  Omit<typeof conformance, 'planExamination' | 'formatReport' | 'formatForm'>,
  `profile.${string}`
>)
