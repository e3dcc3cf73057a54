import { CreateGroupResponse, limits } from '@wabakit/contract'
import { type ApiExchange, readField } from '../api/api-request.ts'
import { buildCreate, describeResponse } from '../lab.ts'
import type { GroupScene } from '../scenes.ts'
import type { Observation, ServerRule, ServerRules } from '../server-rule.ts'
import { judgeRequest, type SceneName } from './witness.ts'

const repeated = '0009 (repeated group id)'
const response = '"Group creation response"'

/** Plays a group scene and judges its responses. The reported commands repeat all of its requests. */
const judgeScene =
  (
    name: SceneName<GroupScene>,
    judge: (first: ApiExchange, scene: GroupScene) => Observation,
  ): ServerRule['examine'] =>
  async ({ scenes }) => {
    const scene = await scenes.play(name)
    const [first] = scene.exchanges
    if (first === undefined) return { kept: undefined, observed: 'no response' }
    return { ...judge(first, scene), requests: scene.exchanges.map(({ request }) => request) }
  }

const judgeCreated = (judge: Parameters<typeof judgeScene>[1]) => judgeScene('created', judge)

/** Judges the generated ids of two groups. */
const judgeGenerated = (isRight: (ids: readonly unknown[]) => boolean): ServerRule['examine'] =>
  judgeScene('generated', (_, { exchanges }) => {
    const ids = exchanges.map(({ response }) => readField(response.json, 'groupId'))
    return { kept: isRight(ids), observed: `groupIds ${JSON.stringify(ids)}` }
  })

/** Judges the responses with these indexes in the `repeated` scene. A 200 must also contain the group's id. */
const judgeRepeated = (places: readonly number[], status: 200 | 422): ServerRule['examine'] =>
  judgeScene('repeated', (_, scene) => {
    const judged = scene.exchanges.filter((_, index) => places.includes(index))
    const kept =
      status === 200 ? areOneGroup(judged, scene) : judged.every(({ response }) => response.status === status)
    return { kept, observed: judged.map(describeResponse).join(', then ') }
  })

const areOneGroup = (exchanges: readonly ApiExchange[], { groupId }: GroupScene): boolean =>
  exchanges.every(
    ({ response }) => response.status === 200 && readField(response.json, 'groupId') === groupId,
  )

export const controlId = 'create.valid.is-200'

/** The positive control. Refusals prove nothing unless a valid request is accepted. */
export const controlRules: ServerRules = {
  [controlId]: {
    title: 'A valid create request succeeds with status 200',
    clause: '"Create WhatsApp group": success response',
    expected: 'status 200',
    severity: 'critical',
    fix: 'Accept a request with wabaNumber and subject. Check --api-key, --waba-number and --auth-header first.',
    examine: judgeRequest(buildCreate, ({ status }) => status === 200),
  },
}

/** Rules for the create endpoint that need more than a single response's status. */
export const createRules: ServerRules = {
  'create.response.is-json': {
    title: 'The response is JSON, and its content type is application/json',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object, with content-type application/json',
    examine: judgeCreated(({ response: { headers, json, text } }) => {
      const type = headers.get('content-type') ?? 'no content-type'
      const kept = typeof json === 'object' && /^application\/json\s*(?:;|$)/i.test(type)
      return { kept, observed: `${type}: ${text.slice(0, 200)}` }
    }),
  },
  'create.response.success-is-true': {
    title: 'The response says success: true',
    clause: response,
    expected: 'success is true',
    examine: judgeCreated(({ response: { json } }) => {
      const success = readField(json, 'success')
      return { kept: success === true, observed: `success is ${JSON.stringify(success)}` }
    }),
  },
  'create.response.fields-are-typed': {
    title: 'The response has the fields of the specification with their types',
    clause: response,
    expected: 'success: boolean, groupId: string',
    examine: judgeScene('generated', (_, { exchanges }) => ({
      kept: exchanges.every(({ response }) => CreateGroupResponse.safeParse(response.json).success),
      observed: exchanges.map(({ response }) => response.text.slice(0, 200)).join(' and '),
    })),
  },
  'create.group-id.omitted-is-generated': {
    title: 'Without a group id, the service generates one',
    clause: 'rule 2 of "Group creation request"',
    expected: 'a groupId that is not empty',
    severity: 'high',
    examine: judgeGenerated((ids) => ids.every((id) => typeof id === 'string' && id !== '')),
  },
  'create.group-id.generated-ids-differ': {
    title: 'Two requests without a group id create two groups',
    clause: 'rule 4 of "Create WhatsApp group": groupId is a primary key',
    expected: 'two different ids',
    severity: 'high',
    examine: judgeGenerated((ids) => new Set(ids).size === 2),
  },
  'create.group-id.generated-fits-the-limit': {
    title: 'A generated group id has at most 50 characters',
    clause: '0009 (group ids)',
    expected: `at most ${limits.groupIdMaxLength} characters`,
    examine: judgeGenerated((ids) => ids.every((id) => [...String(id)].length <= limits.groupIdMaxLength)),
  },
  'create.group-id.of-its-own-request': {
    title: 'Concurrent requests for different groups each get the response to their own request',
    clause: '"Group creation response": groupId is the supplied value',
    expected: 'status 200 to each, with the groupId of the request',
    severity: 'high',
    examine: async ({ scenes }) => {
      const groups = await scenes.play('different')
      const wrong = groups.find((scene) => !areOneGroup(scene.exchanges, scene))
      const shown = wrong?.exchanges.map(describeResponse).join()
      return {
        kept: wrong === undefined,
        observed: wrong === undefined ? `${groups.length} responses` : `${shown} for ${wrong.groupId}`,
        requests: groups.slice(0, 2).map(({ request }) => request),
      }
    },
  },
  'create.group-id.is-free-after-a-refusal': {
    title: 'A request that is refused does not use up its group id',
    clause: '"Errors": a request with status 400, 401, 403 or 422 has failed',
    expected: 'status 200 to a valid request with the same group id',
    severity: 'high',
    risk: 'A client that corrects its request can never create its group.',
    examine: async ({ scenes }) => {
      const pairs = (await scenes.play('corrected')).filter(
        ([refused]) => refused !== undefined && refused.response.status >= 400,
      )
      const wrong = pairs.find(([, valid]) => valid !== undefined && valid.response.status !== 200)
      const shown = wrong ?? pairs[0] ?? []
      return {
        kept: pairs.length === 0 ? undefined : wrong === undefined,
        observed: shown.map(describeResponse).join(', then '),
        requests: shown.map(({ request }) => request),
      }
    },
  },
  'create.repeat.is-the-same-group': {
    title: 'The same request again returns the same group',
    clause: repeated,
    expected: 'status 200 twice, with the same groupId',
    examine: judgeRepeated([0, 1], 200),
  },
  'create.repeat.other-spelling-is-the-same-group': {
    title: 'The same request with the number in another spelling returns the same group',
    clause: repeated,
    expected: 'status 200 with the same groupId',
    examine: judgeRepeated([2], 200),
  },
  'create.repeat.changed-is-422': {
    title: 'A different request with a used group id is refused, whichever field differs',
    clause: repeated,
    expected: 'status 422 to another subject, another description and another joinApprovalMode',
    examine: judgeRepeated([3, 4, 5], 422),
  },
  'create.repeat.refused-changes-nothing': {
    title: 'A request that is refused because its group id is used does not change the group',
    clause: '"Errors": status 422 means that the request has failed',
    expected: 'the response to the first request again, when it is sent once more',
    severity: 'high',
    risk: 'A group has another name than the one that its client was told, and its own request no longer fits it.',
    examine: judgeScene('repeated', (_, { exchanges }) => {
      const [, before, , ...later] = exchanges
      const [after, refused] = [later.at(-1), later.slice(0, -1)]
      const isComparable =
        before?.response.status === 200 && refused.every(({ response }) => response.status >= 400)
      return {
        kept: isComparable ? after?.response.status === 200 : undefined,
        observed: exchanges.map(describeResponse).join(', then '),
      }
    }),
  },
  'create.repeat.concurrent-is-one-group': {
    title: 'Identical concurrent requests all return the same group',
    clause: repeated,
    expected: 'status 200 six times, with the same groupId',
    examine: judgeScene('concurrent', (_, scene) => ({
      kept: areOneGroup(scene.exchanges, scene),
      observed: scene.exchanges.map(({ response }) => response.status).join(', '),
    })),
  },
}
