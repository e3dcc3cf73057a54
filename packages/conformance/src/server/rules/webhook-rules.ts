import { setDefaults } from '../../report/run-checks.ts'
import { parseJson, readField } from '../api/api-request.ts'
import { describeResponse, type Lab, type Need } from '../lab.ts'
import { addedHeaders, addedPath, failingPath, redirectPath, type SceneResults } from '../scenes.ts'
import type { Observation, ServerRule, ServerRules } from '../server-rule.ts'
import { checkSignature, type ReceivedWebhook } from '../webhooks/received-webhook.ts'
import { judgeGroup, judgeWebhooks, toDigits } from './witness.ts'

const signed: readonly Need[] = ['--listen', '--secret']
const added: readonly Need[] = ['--listen', '--secret', '--wabakit-control']
const signatures = '0017 (webhook signatures)'
const headers = 'Standard Webhooks 1.0, "Webhook headers" (decision 0017)'
const schedule = '0019 (delivery schedule)'
const toleranceMs = 300_000
const jsonTypes = /^application\/(?:[\w.+-]+\+)?json\s*(?:[;,]|$)/i

/** Returns whether every character takes one byte. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

const readId = ({ headers }: ReceivedWebhook): string => headers.get('webhook-id') ?? ''

type JudgeAttempts = (first: ReceivedWebhook, second: ReceivedWebhook) => Observation

/** Judges the second attempt after a failed or deferred first one. `missing` is the result without a second attempt. */
const judgeSecond = (
  name: 'retried' | 'retriedAfter404' | 'unanswered' | 'deferred',
  judge: JudgeAttempts,
  missing?: false,
): ServerRule['examine'] =>
  judgeGroup(name, ({ webhooks: [first, second], lab }) => {
    if (first === undefined) return { kept: undefined, observed: 'no GROUP_CREATED arrived' }
    if (second !== undefined) return judge(first, second)
    return { kept: missing, observed: `no second attempt within ${lab.wait.retryTimeoutMs} ms` }
  })

const expectSecond = (delivery: string, name: Parameters<typeof judgeSecond>[0]): ServerRule => ({
  title: `${delivery} is attempted again`,
  clause: schedule,
  expected: 'a second attempt, about 5 s after the first',
  examine: judgeSecond(
    name,
    (first, second) => ({ kept: true, observed: `after ${second.arrivedAt - first.arrivedAt} ms` }),
    false,
  ),
})

type SubscriptionScene = Extract<SceneResults['subscribed'], { newSecret: string }>

/** Judges a webhook that the added subscription received, if there was one. */
const judgeAdded =
  (
    name: 'first' | 'rotated' | 'gone',
    judge: (webhook: ReceivedWebhook, scene: SubscriptionScene, lab: Lab) => Observation,
  ): ServerRule['examine'] =>
  async ({ lab, scenes }) => {
    const scene = await scenes.play('subscribed')
    await scenes.settle()
    const webhook = scene[name]
    if (scene.failure === undefined && webhook !== undefined) return judge(webhook, scene, lab)
    return { kept: undefined, observed: scene.failure ?? 'no GROUP_CREATED arrived' }
  }

const judgeHeaders = ({ headers }: ReceivedWebhook): Observation => {
  const [[name = '', value] = []] = Object.entries(addedHeaders)
  const sent = headers.get(name)
  return { kept: sent === value, observed: `${name}: ${sent}` }
}

type Place = {
  /** The digits of the WABA number of the added subscriptions. */
  readonly addedNumber: string
  readonly isAdded: boolean
  /** The digits of the WABA number of each created group, by the group's id. */
  readonly groups: ReadonlyMap<unknown, string>
}

const listGroupNumbers = ({ exchanges }: Lab): Place['groups'] =>
  new Map(
    exchanges
      .filter(({ response }) => response.status === 200)
      .map(({ request: { body = '' }, response: { json } }) => [
        readField(json, 'groupId'),
        toDigits(readField(parseJson(body), 'wabaNumber')),
      ]),
  )

/** Judges where webhooks arrived: at an added subscription, whose number is another one, or elsewhere. */
const judgePlaces =
  (
    findProblem: (webhook: ReceivedWebhook, place: Place) => string | undefined,
    applies: (webhook: ReceivedWebhook) => boolean,
  ): ServerRule['examine'] =>
  async (examination) => {
    const { lab, scenes } = examination
    const { wabaNumber, failure } = await scenes.play('subscribed')
    if (wabaNumber === undefined) return { kept: undefined, observed: failure }
    const addedNumber = toDigits(wabaNumber)
    const groups = listGroupNumbers(lab)
    return judgeWebhooks((webhook) => {
      const isAdded = webhook.path === addedPath || webhook.path === failingPath
      return findProblem(webhook, { addedNumber, isAdded, groups })
    }, applies)(examination)
  }

const rules: ServerRules = {
  'webhooks.body.is-json': {
    title: 'Every webhook is a JSON object',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object',
    severity: 'high',
    examine: judgeWebhooks(({ json, text }) =>
      typeof json === 'object' && json !== null ? undefined : text.slice(0, 200),
    ),
  },
  'webhooks.event.is-named': {
    title: 'Every webhook names its event',
    clause: '"Event kinds named"',
    expected: 'a field event',
    severity: 'high',
    examine: judgeWebhooks(({ event, text }) => (event === '' ? text.slice(0, 200) : undefined)),
  },
  'webhooks.body.has-the-type-of-json': {
    title: 'The content type of every webhook is application/json',
    clause: 'introduction: all bodies are JSON',
    expected: 'application/json, or a type that ends in +json',
    severity: 'high',
    risk: 'A receiver that parses bodies by their type gets none, and refuses every webhook.',
    examine: judgeWebhooks(({ headers }) => {
      const type = headers.get('content-type') ?? 'no content-type'
      return jsonTypes.test(type) ? undefined : type
    }),
  },
  'webhooks.request.is-a-post': {
    title: 'A delivery is a POST',
    clause: schedule,
    expected: 'POST',
    examine: judgeWebhooks(({ method }) => (method === 'POST' ? undefined : method)),
  },
  'webhooks.signature.is-valid': {
    title: 'Every webhook is signed with the secret',
    clause: 'Standard Webhooks 1.0, "Signature scheme" (decision 0017)',
    severity: 'critical',
    expected: 'a v1 signature of Standard Webhooks that matches',
    needs: signed,
    examine: (examination) =>
      judgeWebhooks((webhook, { all }) => {
        const problem = checkSignature(webhook, examination.lab.secret)
        const isOthers = (each: ReceivedWebhook): boolean =>
          isAscii(each.text) && checkSignature(each, examination.lab.secret) === undefined
        return problem === undefined || isAscii(webhook.text) || !all.some(isOthers)
          ? problem
          : `${problem}, although webhooks in ASCII match: sign the bytes of the body in UTF-8`
      })(examination),
  },
  'webhooks.timestamp.is-now': {
    title: 'webhook-timestamp is the time of the attempt',
    clause: headers,
    expected: 'Unix time in seconds, at most 300 s from now',
    needs: signed,
    examine: judgeWebhooks(({ headers, arrivedAt }) => {
      const timestamp = headers.get('webhook-timestamp') ?? ''
      const isNow = /^\d+$/.test(timestamp) && Math.abs(Number(timestamp) * 1_000 - arrivedAt) < toleranceMs
      return isNow ? undefined : `webhook-timestamp ${JSON.stringify(timestamp)}`
    }),
  },
  'webhooks.id.is-unique': {
    title: 'No two events share a webhook-id',
    clause: headers,
    expected: 'a different webhook-id for each event',
    severity: 'high',
    needs: signed,
    examine: judgeWebhooks((webhook, { all }) => {
      const id = readId(webhook)
      if (id === '') return 'no webhook-id'
      const other = all.find((each) => readId(each) === id && each.text !== webhook.text)
      return other === undefined ? undefined : `${id} is also the webhook-id of ${other.event}`
    }),
  },
  'webhooks.failure.is-not-the-clients': {
    title: 'A create request succeeds, whatever the endpoint responds to its webhook',
    clause: '"Create WhatsApp group": the webhook follows a successful request',
    expected: 'status 200 although the first GROUP_CREATED gets 500, 404, 409, a redirect or no response',
    severity: 'high',
    risk: 'A group is created, but its client believes that it was not, and creates another one.',
    examine: async ({ lab, scenes }) => {
      await scenes.settle()
      const sent = []
      for (const name of ['retried', 'retriedAfter404', 'unanswered', 'deferred', 'redirected'] as const)
        sent.push(...(await scenes.play(name)).exchanges)
      const failed = sent.find(({ response }) => response.status !== 200)
      return {
        // Without the webhook, there was nothing to respond to.
        kept: lab.listener?.webhooks.some(({ status }) => status === 500) ? failed === undefined : undefined,
        observed: failed === undefined ? 'status 200' : describeResponse(failed),
      }
    },
  },
  'webhooks.retry.follows-a-failure': expectSecond('A delivery that got 500', 'retried'),
  'webhooks.retry.follows-a-404': expectSecond('A delivery that got 404', 'retriedAfter404'),
  'webhooks.retry.follows-a-closed-connection': expectSecond(
    'A delivery whose connection was closed without a response',
    'unanswered',
  ),
  'webhooks.retry.keeps-the-id': {
    title: 'The second attempt has the webhook-id of the first',
    clause: headers,
    expected: 'the same webhook-id',
    severity: 'high',
    needs: signed,
    examine: judgeSecond('retried', (first, second) => ({
      kept: readId(first) !== '' && readId(first) === readId(second),
      observed: `${readId(first) || 'none'}, then ${readId(second) || 'none'}`,
    })),
  },
  'webhooks.retry.renews-the-timestamp': {
    title: 'The second attempt has a webhook-timestamp of its own',
    clause: signatures,
    expected: 'the time of the second attempt',
    examine: judgeSecond('retried', (...attempts) => {
      const [first, second] = attempts.map(({ headers }) => headers.get('webhook-timestamp'))
      // A timestamp of the same second can be that of either attempt.
      const isSoon = attempts[1].arrivedAt - attempts[0].arrivedAt < 2_000
      const kept = first === null ? undefined : first !== second || isSoon
      return { kept, observed: `${first}, then ${second}` }
    }),
  },
  'webhooks.retry.not-after-a-204': {
    title: 'A delivery that got 204 is not attempted over and over',
    clause: schedule,
    expected: 'no further attempts',
    examine: judgeWebhooks((webhook, { all }) => {
      const id = readId(webhook)
      const isAgain = (each: ReceivedWebhook): boolean =>
        each.status === 204 && each.path === webhook.path && readId(each) === id && each.text === webhook.text
      const count = all.filter(isAgain).length
      // At-least-once delivery allows a second one.
      return id !== '' && count > 2 ? `${id} was accepted ${count} times` : undefined
    }),
  },
  'webhooks.retry.keeps-the-body': {
    title: 'The second attempt has the body of the first',
    clause: schedule,
    expected: 'the same bytes',
    examine: judgeSecond('retried', (first, second) => ({
      kept: first.text === second.text,
      observed: first.text === second.text ? 'the same' : `${first.text}, then ${second.text}`,
    })),
  },
  'webhooks.deferral.is-attempted-again': {
    title: 'A delivery that got 409 with Retry-After is attempted again, under the same id',
    clause: '0019 (an endpoint can defer a delivery)',
    expected: 'a second attempt with the same webhook-id',
    examine: judgeSecond(
      'deferred',
      (first, second) => ({
        kept: readId(first) === readId(second),
        observed: `${readId(first)}, then ${readId(second)}`,
      }),
      false,
    ),
  },
  'webhooks.redirect.is-not-followed': {
    title: 'A redirect is not followed',
    clause: schedule,
    expected: `no request to ${redirectPath}`,
    examine: judgeGroup('redirected', ({ webhooks, lab }) => {
      const followed = lab.listener?.webhooks.some(({ path }) => path === redirectPath)
      if (webhooks.length === 0) return { kept: undefined, observed: 'no GROUP_CREATED arrived' }
      return { kept: !followed, observed: followed ? `a request to ${redirectPath}` : 'not followed' }
    }),
  },
  'webhooks.headers.are-sent': {
    title: 'A subscription with static headers sends them',
    clause: '0015 (subscriptions have static headers)',
    expected: 'the header with which the subscription was created',
    needs: added,
    examine: judgeAdded('first', judgeHeaders),
  },
  'webhooks.headers.are-sent-again': {
    title: 'The second attempt of a delivery has the static headers of its subscription',
    clause: '0015 (subscriptions have static headers)',
    expected: 'the header with which the subscription was created',
    needs: added,
    examine: async ({ scenes }) => {
      const { again, failure = 'no second attempt arrived' } = await scenes.play('subscribedRetried')
      return again === undefined ? { kept: undefined, observed: failure } : judgeHeaders(again)
    },
  },
  'webhooks.subscription.gets-its-groups-only': {
    title: 'A subscription receives the events of groups on its own WABA number only',
    clause: '0015 (a subscription matches a number on a channel)',
    expected: 'events of a group at the subscriptions on its number, and nowhere else',
    needs: added,
    examine: judgePlaces(
      ({ groupId, path }, { addedNumber, isAdded, groups }) => {
        const own = groups.get(groupId)
        const isRight = own === undefined || isAdded === (own === addedNumber)
        return isRight ? undefined : `a group on ${own}, at ${path}`
      },
      ({ groupId }) => groupId !== '',
    ),
  },
  'webhooks.subscription.gets-its-summaries-only': {
    title: 'A subscription receives the summaries of calls on its own WABA number only',
    clause: '"CALL_AI_SUMMARY", rule 1: subscriptions are per channel',
    expected: 'CALL_AI_SUMMARY at the subscriptions on the number of the call, and nowhere else',
    severity: 'high',
    needs: [...added, '--play'],
    risk: "A customer's words are sent to a system that handles another number.",
    examine: judgePlaces(
      ({ json, path }, { addedNumber, isAdded }) => {
        const own = toDigits(readField(json, 'channelNumber'))
        return isAdded && own !== addedNumber ? `a call on ${own}, at ${path}` : undefined
      },
      ({ event }) => event === 'CALL_AI_SUMMARY',
    ),
  },
  'webhooks.rotation.both-secrets-sign': {
    title: 'After a rotation, webhooks are signed with the new secret and the previous one',
    clause: signatures,
    expected: 'a v1 signature of each secret',
    needs: added,
    examine: judgeAdded('rotated', (rotated, { newSecret }, { secret }) => {
      const missing = [
        ...(checkSignature(rotated, newSecret) === undefined ? [] : ['the new secret']),
        ...(checkSignature(rotated, secret) === undefined ? [] : ['the previous secret']),
      ]
      const observed = missing.length === 0 ? 'both' : `no signature of ${missing.join(' or ')}`
      return { kept: missing.length === 0, observed }
    }),
  },
  'webhooks.gone.disables-the-subscription': {
    title: 'A subscription whose endpoint responded with 410 gets no more webhooks',
    clause: schedule,
    expected: 'no webhook of a group that was created later',
    needs: added,
    examine: judgeAdded('gone', (_, { lastGroupId }, { listener }) => {
      const later = listener?.webhooks.some(
        ({ path, groupId }) => path === addedPath && groupId === lastGroupId,
      )
      return { kept: !later, observed: later ? 'GROUP_CREATED' : 'nothing' }
    }),
  },
}

export const webhookRules: ServerRules = setDefaults(rules, { needs: ['--listen'] })
