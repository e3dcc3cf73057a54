import { CreateGroupResponse, limits } from '@wabakit/contract'
import { readField } from '../api/api-request.ts'
import { buildCreate, describeResponse } from '../lab.ts'
import type { Rule } from '../rule.ts'
import type { GroupScene } from '../scenes.ts'

const repeated = { clause: '0010 (repeated group id)', decision: true } as const
const readIds = ({ exchanges }: GroupScene): unknown[] =>
  exchanges.map(({ response }) => readField(response.json, 'groupId'))

/** The positive control: unless a valid request is accepted, refusals prove nothing. */
export const controlRule: Rule = {
  id: 'create.valid.is-200',
  title: 'A valid create request succeeds with status 200',
  clause: '"Create WhatsApp group": success response',
  expected: 'status 200',
  severity: 'critical',
  fix: 'Accept a request with wabaNumber and subject. Check --api-key, --waba-number and --auth-header first.',
  examine: async ({ lab }) => {
    const sent = await lab.send(buildCreate(lab))
    return { kept: sent.response.status === 200, observed: describeResponse(sent), requests: [sent.request] }
  },
}

/** Rules of the create endpoint that take more than one status to show. */
export const createRules: readonly Rule[] = [
  {
    id: 'create.response.is-json',
    title: 'The response is JSON and says so',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object, with content-type application/json',
    examine: async ({ scenes }) => {
      const [sent] = (await scenes.created()).exchanges
      const type = sent?.response.headers.get('content-type') ?? 'no content-type'
      const kept = typeof sent?.response.json === 'object' && /^application\/json\b/i.test(type)
      return {
        kept,
        observed: `${type}: ${sent?.response.text.slice(0, 200)}`,
        requests: sent && [sent.request],
      }
    },
  },
  {
    id: 'create.response.success-is-true',
    title: 'The response says success: true',
    clause: '"Group creation response"',
    expected: 'success is true',
    examine: async ({ scenes }) => {
      const { exchanges, request } = await scenes.created()
      const success = readField(exchanges[0]?.response.json, 'success')
      return {
        kept: success === true,
        observed: `success is ${JSON.stringify(success)}`,
        requests: [request],
      }
    },
  },
  {
    id: 'create.response.fields-are-typed',
    title: 'The response has the fields of the specification with their types',
    clause: '"Group creation response"',
    expected: 'success: boolean, groupId: string',
    examine: async ({ scenes }) => {
      const { exchanges, request } = await scenes.generated()
      const texts = exchanges.map(({ response }) => response.text.slice(0, 200)).join(' and ')
      const kept = exchanges.every(({ response }) => CreateGroupResponse.safeParse(response.json).success)
      return { kept, observed: texts, requests: [request] }
    },
  },
  {
    id: 'create.group-id.is-the-supplied-one',
    title: 'The response returns the supplied group id',
    clause: '"Group creation response": groupId',
    expected: 'the groupId of the request',
    severity: 'high',
    examine: async ({ scenes }) => {
      const scene = await scenes.created()
      const [received] = readIds(scene)
      return {
        kept: received === scene.groupId,
        observed: `groupId ${JSON.stringify(received)} for ${scene.groupId}`,
        requests: [scene.request],
      }
    },
  },
  {
    id: 'create.group-id.omitted-is-generated',
    title: 'Without a group id, the service generates one',
    clause: 'rule 2 of "Group creation request"',
    expected: 'a groupId that is not empty',
    severity: 'high',
    examine: async ({ scenes }) => {
      const scene = await scenes.generated()
      const kept = readIds(scene).every((id) => typeof id === 'string' && id !== '')
      return { kept, observed: `groupIds ${JSON.stringify(readIds(scene))}`, requests: [scene.request] }
    },
  },
  {
    id: 'create.group-id.generated-ids-differ',
    title: 'Two requests without a group id create two groups',
    clause: 'rule 4 of "Create WhatsApp group": groupId is a primary key',
    expected: 'two different ids',
    severity: 'high',
    examine: async ({ scenes }) => {
      const scene = await scenes.generated()
      return {
        kept: new Set(readIds(scene)).size === 2,
        observed: `groupIds ${JSON.stringify(readIds(scene))}`,
        requests: [scene.request, scene.request],
      }
    },
  },
  {
    id: 'create.group-id.generated-fits-the-limit',
    title: 'A generated group id has at most 50 characters',
    clause: '0011 (group ids)',
    decision: true,
    expected: `at most ${limits.groupIdMaxLength} characters`,
    examine: async ({ scenes }) => {
      const scene = await scenes.generated()
      const kept = readIds(scene).every((id) => [...String(id)].length <= limits.groupIdMaxLength)
      return { kept, observed: `groupIds ${JSON.stringify(readIds(scene))}`, requests: [scene.request] }
    },
  },
  {
    id: 'create.repeat.is-the-same-group',
    title: 'The same request again returns the same group',
    ...repeated,
    expected: 'twice status 200 with the same groupId',
    examine: async ({ scenes }) => {
      const { exchanges, request, groupId } = await scenes.repeated()
      const both = exchanges.slice(0, 2)
      const kept = both.every(
        ({ response }) => response.status === 200 && readField(response.json, 'groupId') === groupId,
      )
      return { kept, observed: both.map(describeResponse).join(', then '), requests: [request, request] }
    },
  },
  {
    id: 'create.repeat.other-spelling-is-the-same-group',
    title: 'The same request with the number in another spelling returns the same group',
    ...repeated,
    expected: 'status 200',
    examine: async ({ scenes }) => {
      const { exchanges, request } = await scenes.repeated()
      const third = exchanges[2]
      if (third === undefined) return { kept: undefined, observed: 'no third response' }
      return {
        kept: third.response.status === 200,
        observed: describeResponse(third),
        requests: [request, third.request],
      }
    },
  },
  {
    id: 'create.repeat.changed-is-422',
    title: 'Another request with a used group id is refused',
    ...repeated,
    expected: 'status 422',
    examine: async ({ scenes }) => {
      const { exchanges, request } = await scenes.repeated()
      const last = exchanges[3]
      if (last === undefined) return { kept: undefined, observed: 'no fourth response' }
      return {
        kept: last.response.status === 422,
        observed: describeResponse(last),
        requests: [request, last.request],
      }
    },
  },
  {
    id: 'create.repeat.concurrent-is-one-group',
    title: 'Identical concurrent requests all return the same group',
    ...repeated,
    expected: 'six times status 200 with the same groupId',
    examine: async ({ scenes }) => {
      const { exchanges, request, groupId } = await scenes.concurrent()
      const kept = exchanges.every(
        ({ response }) => response.status === 200 && readField(response.json, 'groupId') === groupId,
      )
      return {
        kept,
        observed: exchanges.map(({ response }) => response.status).join(', '),
        requests: [request, request],
      }
    },
  },
]
