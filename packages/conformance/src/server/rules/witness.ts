import { isPublishedEventName, publishedEventSchemas } from '@wabakit/contract'
import { type ApiExchange, type ApiRequest, type ApiResponse, readField } from '../api/api-request.ts'
import type { CallScene } from '../calls/call-scenes.ts'
import { describeResponse, type Lab } from '../lab.ts'
import type { GroupScene, SceneResults } from '../scenes.ts'
import type { Observation, ServerRule } from '../server-rule.ts'
import { type ReceivedWebhook, withoutRedeliveries } from '../webhooks/received-webhook.ts'

type Examine = ServerRule['examine']

export const nameEvents = (webhooks: readonly ReceivedWebhook[]): string =>
  webhooks
    .map(({ event, status }) => `${event || '(no event)'}${status === 204 ? '' : ` (got ${status})`}`)
    .join(', ') || 'no webhook'

/** Returns whether a webhook is an event with exactly the fields in docs/reference/events.md. */
export const isDocumented = ({ event, json }: ReceivedWebhook): boolean =>
  isPublishedEventName(event) && publishedEventSchemas[event].safeParse(json).success

/** Returns the digits of a phone number, because spellings differ. */
export const toDigits = (number: unknown): string => String(number ?? '').replace(/\D/g, '')

/** Returns a number without its plus sign, with a space and a hyphen. */
export const respell = (wabaNumber: string): string =>
  wabaNumber.replace(/\D/g, '').replace(/^(\d)(\d{3})/, '$1 $2-')

/** Returns whether a Retry-After states a delay: whole seconds, or a date (RFC 9110, section 10.2.3). */
export const isRetryAfter = (text: string | null): boolean =>
  /^[1-9]\d*$/.test(text ?? '') || (/ GMT$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? '')))

/** Returns whether a server has to store the texts of a body. A NUL or a lone surrogate cannot be stored everywhere. */
export const isStorable = (body: string): boolean => !/\\u(?:0000|d[89a-f])/i.test(body)

type Run = {
  readonly all: readonly ReceivedWebhook[]
  /** The ids of the calls, or `undefined` if the id of a failed call is unknown. */
  readonly calls: ReadonlySet<string> | undefined
  readonly groups: ReadonlySet<string>
}

/** Lists the group ids in the run's responses and, because a response may be lost, in its requests. */
const listGroups = ({ exchanges }: Lab): Set<string> =>
  new Set(
    exchanges.flatMap(({ request: { body = '' }, response: { json } }) => [
      String(readField(json, 'groupId') ?? ''),
      /"groupId":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? '',
    ]),
  )

/** A scene with the webhooks about its group or call. */
type Witnessed<Scene> = Scene & { readonly webhooks: readonly ReceivedWebhook[]; readonly lab: Lab }

/** The names of the scenes with this kind of result. */
export type SceneName<Shown> = {
  [Name in keyof SceneResults]: SceneResults[Name] extends Shown ? Name : never
}[keyof SceneResults]

export const judgeRequest =
  (build: (lab: Lab) => ApiRequest, judge: (response: ApiResponse) => boolean | undefined): Examine =>
  async ({ lab }) => {
    const sent = await lab.send(build(lab))
    return { kept: judge(sent.response), observed: describeResponse(sent), requests: [sent.request] }
  }

/**
 * Expects this status in the response to a request. The rule has no result after a 429, or if the server closes the
 * connection instead of responding with 413.
 */
export const expectStatus = (
  status: number,
  build: (lab: Lab) => ApiRequest,
): Pick<ServerRule, 'expected' | 'severity' | 'examine'> => ({
  expected: `status ${status}`,
  severity: status === 401 || status === 403 ? 'critical' : 'medium',
  examine: judgeRequest(build, ({ status: received }) =>
    received === 429 || (received === 0 && status === 413) ? undefined : received === status,
  ),
})

/** Returns whether a response refuses a request, or `undefined` if the server did not decide. */
export const isRefusal = ({ status }: ApiResponse): boolean | undefined =>
  status === 0 || status === 429 ? undefined : status >= 400

/** Judges all exchanges of the run to which a rule applies. `name` describes them in the report. */
export const judgeExchanges =
  (
    name: string,
    applies: (exchange: ApiExchange) => boolean,
    findProblem: (exchange: ApiExchange) => string | undefined,
  ): Examine =>
  async ({ lab }) => {
    const judged = lab.exchanges.filter(applies)
    for (const exchange of judged) {
      const observed = findProblem(exchange)
      if (observed !== undefined) return { kept: false, observed, requests: [exchange.request] }
    }
    return { kept: judged.length === 0 ? undefined : true, observed: `${judged.length} ${name}` }
  }

export const judgeGroup =
  (name: SceneName<GroupScene>, judge: (scene: Witnessed<GroupScene>) => Observation): Examine =>
  async ({ lab, scenes }) => {
    const scene: GroupScene & { readonly failure?: string | undefined } = await scenes.play(name)
    await scenes.settle()
    const requests = [scene.request]
    if (scene.failure !== undefined) return { kept: undefined, observed: scene.failure, requests }
    const webhooks = lab.listener?.webhooks.filter(({ groupId }) => groupId === scene.groupId) ?? []
    return { ...judge({ ...scene, webhooks: withoutRedeliveries(webhooks), lab }), requests }
  }

export const judgeCall =
  (name: SceneName<CallScene>, judge: (call: Witnessed<CallScene>) => Observation): Examine =>
  async ({ lab, scenes }) => {
    const call = await scenes.play(name)
    if (call.failure !== undefined) return { kept: undefined, observed: call.failure }
    await scenes.settle()
    const webhooks = lab.listener?.webhooks.filter(({ callId }) => callId === call.callId) ?? []
    return judge({ ...call, webhooks: withoutRedeliveries(webhooks), lab })
  }

/**
 * Servers that alternate directions make an incoming and an outgoing call on either channel. Those on PSTN come first,
 * because live services allow more on WhatsApp.
 */
const answeredScenes = ['PSTN', 'failedSummary', 'WHATSAPP', 'anotherWhatsApp'] as const

/** Judges several calls. Returns the observation of a broken rule, or else of a kept one. */
export const judgeCalls =
  (
    judge: (call: Witnessed<CallScene>) => Observation,
    names: readonly SceneName<CallScene>[] = answeredScenes,
  ): Examine =>
  async (examination) => {
    const observations: Observation[] = []
    for (const name of names) observations.push(await judgeCall(name, judge)(examination))
    const [first = { kept: undefined, observed: 'no call' }] = observations
    return observations.find(({ kept }) => kept === false) ?? observations.find(({ kept }) => kept) ?? first
  }

/** Judges the fetched summaries of answered calls. */
export const judgeSummaries = (judge: (json: unknown, call: Witnessed<CallScene>) => Observation): Examine =>
  judgeCalls((call) => {
    const { fetched } = call
    if (fetched?.response.status !== 200) return { kept: undefined, observed: 'no summary was fetched' }
    return { ...judge(fetched.response.json, call), requests: [fetched.request] }
  })

/** Examines a request that needs the id of a call. */
export const examineAfter =
  (name: SceneName<CallScene>, toExamine: (callId: string) => Examine): Examine =>
  async (examination) => {
    const { callId, failure }: CallScene = await examination.scenes.play(name)
    if (failure !== undefined) return { kept: undefined, observed: failure }
    return toExamine(callId)(examination)
  }

export const judgeWebhooks =
  (
    findProblem: (webhook: ReceivedWebhook, run: Run) => string | undefined,
    applies: (webhook: ReceivedWebhook) => boolean = () => true,
  ): Examine =>
  async ({ lab, scenes }) => {
    await scenes.settle()
    const all = lab.listener?.webhooks.filter(applies) ?? []
    if (all.length === 0) return { kept: undefined, observed: 'no webhook arrived that the rule is about' }
    const run = { all, calls: lab.callIds(), groups: listGroups(lab) }
    for (const webhook of all) {
      const problem = findProblem(webhook, run)
      if (problem !== undefined)
        return { kept: false, observed: `${webhook.event || webhook.path}: ${problem}` }
    }
    return { kept: true, observed: `${all.length} webhooks` }
  }
