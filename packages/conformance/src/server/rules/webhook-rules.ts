import type { Need } from '../lab.ts'
import type { Examination, Observation, Rule } from '../rule.ts'
import { redirectPath } from '../scenes.ts'
import { checkSignature } from '../webhooks/check-signature.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'

const listening: readonly Need[] = ['--listen']
const signatures = { clause: '0018 (webhook signatures)', decision: true } as const
const schedule = { clause: '0020 (delivery schedule)', decision: true } as const
const toleranceMs = 300_000

const judgeAll = async (
  { lab, scenes }: Examination,
  findProblem: (webhook: ReceivedWebhook, all: readonly ReceivedWebhook[]) => string | undefined,
): Promise<Observation> => {
  await scenes.settle()
  const all = lab.listener?.webhooks ?? []
  if (all.length === 0) return { kept: undefined, observed: 'no webhook arrived' }
  for (const webhook of all) {
    const problem = findProblem(webhook, all)
    if (problem !== undefined)
      return { kept: false, observed: `${webhook.event || webhook.path}: ${problem}` }
  }
  return { kept: true, observed: `${all.length} webhooks` }
}

const judgeRetried = async (
  { lab, scenes }: Examination,
  judge: (first: ReceivedWebhook, second: ReceivedWebhook) => Observation,
): Promise<Observation> => {
  const { groupId, request } = await scenes.retried()
  const [first, second] = lab.listener?.webhooks.filter((each) => each.groupId === groupId) ?? []
  if (first === undefined) return { kept: undefined, observed: 'no GROUP_CREATED arrived' }
  if (second === undefined) {
    return {
      kept: undefined,
      observed: `no second attempt within ${lab.wait.retryTimeoutMs} ms`,
      requests: [request],
    }
  }
  return { ...judge(first, second), requests: [request] }
}

const readId = ({ headers }: ReceivedWebhook): string => headers.get('webhook-id') ?? ''

/** Rules of deliveries. */
export const webhookRules: readonly Rule[] = [
  {
    id: 'webhooks.body.is-json',
    title: 'Every webhook is a JSON object',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object',
    severity: 'high',
    needs: listening,
    examine: (examination) =>
      judgeAll(examination, ({ json, text }) =>
        typeof json === 'object' && json !== null ? undefined : text.slice(0, 200),
      ),
  },
  {
    id: 'webhooks.event.is-named',
    title: 'Every webhook names its event',
    clause: '"Event kinds named"',
    expected: 'a field event',
    severity: 'high',
    needs: listening,
    examine: (examination) =>
      judgeAll(examination, ({ event, text }) => (event === '' ? text.slice(0, 200) : undefined)),
  },
  {
    id: 'webhooks.request.is-a-json-post',
    title: 'A delivery is a POST with content-type application/json',
    ...schedule,
    expected: 'POST, application/json',
    needs: listening,
    examine: (examination) =>
      judgeAll(examination, ({ method, headers }) => {
        const type = headers.get('content-type') ?? 'no content-type'
        return method === 'POST' && /^application\/json\b/i.test(type) ? undefined : `${method}, ${type}`
      }),
  },
  {
    id: 'webhooks.signature.is-valid',
    title: 'Every webhook is signed with the secret',
    ...signatures,
    expected: 'a v1 signature of Standard Webhooks that matches',
    needs: ['--listen', '--secret'],
    examine: (examination) =>
      judgeAll(examination, (webhook) => checkSignature(webhook, examination.lab.secret)),
  },
  {
    id: 'webhooks.timestamp.is-now',
    title: 'webhook-timestamp is the time of the attempt',
    ...signatures,
    expected: 'Unix time in seconds, at most 300 s from now',
    needs: ['--listen', '--secret'],
    examine: (examination) =>
      judgeAll(examination, ({ headers, arrivedAt }) => {
        const timestamp = headers.get('webhook-timestamp') ?? ''
        const isNow = /^\d+$/.test(timestamp) && Math.abs(Number(timestamp) * 1_000 - arrivedAt) < toleranceMs
        return isNow ? undefined : `webhook-timestamp ${JSON.stringify(timestamp)}`
      }),
  },
  {
    id: 'webhooks.id.is-unique',
    title: 'Two events do not share a webhook-id on one path',
    ...signatures,
    expected: 'a webhook-id of its own for each event',
    needs: listening,
    examine: (examination) =>
      judgeAll(examination, (webhook, all) => {
        const id = readId(webhook)
        if (id === '') return 'no webhook-id'
        const other = all.find((each) => readId(each) === id && each.text !== webhook.text)
        return other === undefined ? undefined : `${id} is also the webhook-id of ${other.event}`
      }),
  },
  {
    id: 'webhooks.retry.follows-a-failure',
    title: 'A delivery that got 500 is attempted again',
    ...schedule,
    expected: 'a second attempt, about 5 s after the first',
    needs: listening,
    examine: (examination) =>
      judgeRetried(examination, (first, second) => ({
        kept: true,
        observed: `after ${second.arrivedAt - first.arrivedAt} ms`,
      })).then((found) => (found.kept === undefined && found.requests ? { ...found, kept: false } : found)),
  },
  {
    id: 'webhooks.retry.keeps-the-id',
    title: 'The second attempt has the webhook-id of the first',
    ...signatures,
    expected: 'the same webhook-id',
    needs: listening,
    examine: (examination) =>
      judgeRetried(examination, (first, second) => ({
        kept: readId(first) !== '' && readId(first) === readId(second),
        observed: `${readId(first) || 'none'}, then ${readId(second) || 'none'}`,
      })),
  },
  {
    id: 'webhooks.retry.keeps-the-body',
    title: 'The second attempt has the body of the first',
    ...schedule,
    expected: 'the same bytes',
    needs: listening,
    examine: (examination) =>
      judgeRetried(examination, (first, second) => ({
        kept: first.text === second.text,
        observed: first.text === second.text ? 'the same' : `${first.text}, then ${second.text}`,
      })),
  },
  {
    id: 'webhooks.redirect.is-not-followed',
    title: 'A redirect is not followed',
    ...schedule,
    expected: `no request to ${redirectPath}`,
    needs: listening,
    examine: async ({ lab, scenes }) => {
      const { groupId } = await scenes.redirected()
      await scenes.settle()
      const all = lab.listener?.webhooks ?? []
      if (!all.some((each) => each.groupId === groupId))
        return { kept: undefined, observed: 'no GROUP_CREATED arrived' }
      const followed = all.some(({ path }) => path === redirectPath)
      return { kept: !followed, observed: followed ? `a request to ${redirectPath}` : 'not followed' }
    },
  },
]
