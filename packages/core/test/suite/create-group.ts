import { limits } from '@wabakit/contract'
import { equal, ok } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  createBody,
  createScenario,
  disabledWaba,
  expectError,
  expectNothing,
  postGroup,
  type Scenario,
  secondWaba,
  start,
  waba,
} from './scenario.ts'

/** Expects that `body` is rejected and nothing happens. */
const refused = async (
  body: unknown,
  [status, code, paths]: [number, string, string[]?],
  headers: Record<string, string> = {},
): Promise<Scenario> => {
  const scenario = await createScenario()
  await scenario.subscribe()
  await expectError(await postGroup(scenario, body, { headers }), status, code, paths)
  await expectNothing(scenario)
  return scenario
}

const accepted = async (body: object, headers: Record<string, string> = {}): Promise<Scenario> => {
  const scenario = await createScenario()
  const response = await postGroup(scenario, body, { headers })
  equal(response.status, 200, await response.clone().text())
  return scenario
}

const fields = defineCases('Resources, group creation request', {
  'wabaNumber is required': () =>
    refused({ subject: 'x' }, [400, 'invalid_waba_number', ['wabaNumber']]).then(),
  'wabaNumber must not be empty': () =>
    refused({ ...createBody, wabaNumber: '' }, [400, 'invalid_waba_number', ['wabaNumber']]).then(),
  'subject is required': () => refused({ wabaNumber: waba }, [400, 'invalid_subject', ['subject']]).then(),
  'subject must not be empty': () =>
    refused({ ...createBody, subject: '' }, [400, 'invalid_subject', ['subject']]).then(),
  'description is optional, and may be empty': async () => {
    const scenario = await accepted({ ...createBody, groupId: 'g', description: '' })
    equal((await scenario.server.groups.find('acme', 'g'))?.description, '')
  },
  "when joinApprovalMode is omitted, the integration's default is stored with the group": async () => {
    const scenario = await accepted({ ...createBody, groupId: 'first' })
    await postGroup(scenario, { wabaNumber: secondWaba, subject: 'x', groupId: 'second' })
    equal((await scenario.server.groups.find('acme', 'first'))?.joinApprovalMode, 'auto_approve')
    equal((await scenario.server.groups.find('acme', 'second'))?.joinApprovalMode, 'approval_required')
  },
  'groupId must not be empty': () =>
    refused({ ...createBody, groupId: '' }, [400, 'invalid_group_id', ['groupId']]).then(),
  'groupId is stored as clientCustomGroupId, and is the groupId of the webhooks (rule 1)': async () => {
    const scenario = await accepted({ ...createBody, groupId: 'my group' })
    equal((await scenario.server.groups.find('acme', 'my group'))?.clientCustomGroupId, 'my group')
    const [created] = scenario.publications
    equal(created?.event.event === 'GROUP_CREATED' && created.event.groupId, 'my group')
  },
  'when groupId is omitted, one is generated: wagrp_ and a ULID (rule 2)': async () => {
    const scenario = await createScenario()
    const ids: string[] = []
    for (let index = 0; index < 20; index++) {
      const { groupId } = (await (await postGroup(scenario)).json()) as { groupId: string }
      ok(/^wagrp_[0-9A-HJKMNP-TV-Z]{26}$/.test(groupId), groupId)
      ids.push(groupId)
    }
    equal(ids, [...new Set(ids)].sort())
    ok(
      ids.every((id) => id.length <= limits.groupIdMaxLength),
      'within the limit',
    )
  },
  'a generated id is never one that is in use': async () => {
    let calls = 0
    const ids = (prefix: string) =>
      (prefix === 'wagrp' ? ['same', 'same', 'new'][calls++] : `${prefix}_${calls++}`) ?? ''
    const scenario = await createScenario({ ids: (prefix) => ids(prefix) })
    calls = 0
    const first = await scenario.server.groups.create('acme', createBody)
    calls = 1
    const second = await scenario.server.groups.create('acme', createBody)
    equal([first.groupId, first.outcome, second.outcome], ['same', 'created', 'created'])
    ok(second.groupId !== 'same', second.groupId)
  },
  'the same clock and random numbers result in the same ids': async () => {
    const [first, second] = [await createScenario(), await createScenario()]
    equal(await (await postGroup(first)).json(), await (await postGroup(second)).json())
    equal(first.publications, second.publications)
  },
  'unknown fields are ignored, including __proto__ and constructor': async () => {
    const body =
      '{"wabaNumber":"15550100001","subject":"x","groupId":"g","x":1,"__proto__":{"subject":""},"constructor":1}'
    const scenario = await createScenario()
    equal((await postGroup(scenario, body)).status, 200)
    equal((await scenario.server.groups.find('acme', 'g'))?.subject, 'x')
    const hidden = '{"wabaNumber":"15550100001","__proto__":{"subject":"x"}}'
    await expectError(await postGroup(scenario, hidden), 400, 'invalid_subject')
  },
  'the last value of a repeated JSON key counts': async () => {
    const scenario = await createScenario()
    const body = '{"wabaNumber":"15550100001","subject":"x","subject":"y","groupId":"g"}'
    equal((await postGroup(scenario, body)).status, 200)
    equal((await scenario.server.groups.find('acme', 'g'))?.subject, 'y')
  },
  'text with a NUL or a lone surrogate is invalid in every field': async () => {
    for (const bad of ['a\0b', 'a\ud800b', '\udc00']) {
      await refused({ ...createBody, wabaNumber: bad }, [400, 'invalid_waba_number', ['wabaNumber']])
      await refused({ ...createBody, subject: bad }, [400, 'invalid_subject', ['subject']])
      await refused({ ...createBody, description: bad }, [400, 'invalid_description', ['description']])
      await refused({ ...createBody, groupId: bad }, [400, 'invalid_group_id', ['groupId']])
    }
  },
  'the code is that of the first invalid field, and issues lists all of them': async () => {
    const wrong = { groupId: '', joinApprovalMode: 'x', description: 1, subject: '', wabaNumber: 2 }
    const order = [
      ['wabaNumber', 'invalid_waba_number'],
      ['subject', 'invalid_subject'],
      ['description', 'invalid_description'],
      ['joinApprovalMode', 'invalid_join_approval_mode'],
      ['groupId', 'invalid_group_id'],
    ] as const
    const good = { ...createBody, description: 'd', joinApprovalMode: 'auto_approve', groupId: 'g' }
    for (const [from, [, code]] of order.entries()) {
      const names = order.slice(from).map(([name]) => name)
      const bad = Object.fromEntries(
        Object.entries(wrong).filter(([name]) => names.some((each) => each === name)),
      )
      await refused({ ...good, ...bad }, [400, code, names])
    }
  },
})

const bodies = defineCases('Request body', {
  'must be JSON': async () => {
    for (const body of [
      '{',
      '',
      'subject=x',
      `${JSON.stringify(createBody)} {`,
      "{'subject':'x'}",
      '{"subject":"x",}',
      '\u00e9',
    ]) {
      await refused(body, [400, 'malformed_json'])
    }
  },
  'must be UTF-8': async () => {
    const bytes = new TextEncoder().encode('{"subject":"x"}')
    bytes[12] = 0xff
    await refused(bytes, [400, 'malformed_json'])
  },
  'must be complete, without a multi-byte character that is cut off': async () => {
    await refused(new TextEncoder().encode('"é').subarray(0, 2), [400, 'malformed_json'])
  },
  'may start with a byte order mark': async () => {
    const scenario = await createScenario()
    equal((await postGroup(scenario, `\ufeff${JSON.stringify(createBody)}`)).status, 200)
  },
  'must be one object': async () => {
    for (const body of ['null', '[]', '"text"', '1', 'true']) {
      await refused(body, [400, 'invalid_body'])
      const { message } = await expectError(
        await postGroup(await createScenario(), body),
        400,
        'invalid_body',
      )
      equal(message, 'The body must be a JSON object.')
    }
  },
  'may be nested as deeply as its size allows': async () => {
    const deep = `{"x":${'['.repeat(32_000)}${']'.repeat(32_000)}}`
    await refused(deep, [400, 'invalid_waba_number'])
  },
  'must be application/json': async () => {
    for (const type of [
      ...['text/plain', '', 'application/x-www-form-urlencoded', 'application/jsonp', 'json'],
      'application/vnd.api+json',
    ]) {
      await refused(createBody, [415, 'unsupported_media_type'], { 'content-type': type })
    }
    for (const type of [
      'application/json',
      'APPLICATION/JSON',
      'application/json;charset=utf-8',
      'application/json; charset=utf8; version=1',
      'application/json; version=1; encoding=latin1',
      'application/json; charset="UTF-8"; x=1',
    ]) {
      await accepted(createBody, { 'content-type': type })
    }
  },
  'must have no charset other than UTF-8': async () => {
    for (const charset of ['latin1', 'utf-16', 'utf-80', 'charset=utf-8']) {
      const type = `application/json; x=1; charset=${charset}`
      await refused(createBody, [415, 'unsupported_media_type'], { 'content-type': type })
    }
  },
  'must not be compressed': () =>
    refused(createBody, [415, 'unsupported_media_type'], { 'content-encoding': 'gzip' }).then(),
  'may be 64 KiB long and no longer': async () => {
    const frame = JSON.stringify({ ...createBody, x: '' }).length
    const exact = { ...createBody, x: 'x'.repeat(limits.requestBodyMaxBytes - frame) }
    await accepted(exact)
    await accepted(exact, { 'content-length': String(limits.requestBodyMaxBytes) })
    await refused({ ...exact, x: `${exact.x}x` }, [413, 'body_too_large'])
  },
})

const rules = defineCases('Endpoints, create WhatsApp group', {
  'responds with 200, success and groupId': async () => {
    const scenario = await createScenario()
    const response = await postGroup(scenario, { ...createBody, groupId: 'g1' })
    equal([response.status, await response.json()], [200, { success: true, groupId: 'g1' }])
    equal(response.headers.get('content-type'), 'application/json')
    equal(response.headers.get('cache-control'), 'no-store')
  },
  'when wabaNumber matches no integration of the organization, 400 (rule 1)': async () => {
    for (const wabaNumber of [
      '15550100008',
      '+1 555 0200001',
      'abc',
      '+',
      '1555010000a1',
      '１５５５０１００００１',
    ]) {
      await refused({ ...createBody, wabaNumber }, [400, 'integration_not_found', ['wabaNumber']])
    }
  },
  'wabaNumber is compared by its digits, however it is written': async () => {
    for (const wabaNumber of [
      '15550100001',
      '+15550100001',
      '+1 (555) 010-0001',
      ' +1.555.010.0001 ',
      '(1)5550100001',
    ]) {
      const scenario = await accepted({ ...createBody, wabaNumber, groupId: 'g' })
      equal((await scenario.server.groups.find('acme', 'g'))?.wabaNumber, waba)
    }
  },
  'on success a GROUP_CREATED webhook for the group follows (rule 3)': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    await postGroup(scenario, { ...createBody, groupId: 'g1' })
    await scenario.advance(0)
    const [sent] = scenario.sent
    const { inviteLink, ...event } = JSON.parse(sent?.body ?? '{}')
    equal(event, {
      event: 'GROUP_CREATED',
      groupId: 'g1',
      groupName: 'Launch',
      groupCreatedAt: new Date(start).toISOString(),
    })
    ok(/^https:\/\/invite\.example\/[A-Za-z0-9]{22}$/.test(inviteLink), inviteLink)
    ok(new Set(inviteLink.slice(-22)).size > 8, 'its characters differ')
  },
  'when the integration is disabled, 422, however its number is written': async () => {
    for (const wabaNumber of [disabledWaba, '1 555-010-0009', '15550100009'])
      await refused({ ...createBody, wabaNumber }, [422, 'integration_disabled'])
    await refused({ wabaNumber: disabledWaba, subject: '' }, [400, 'invalid_subject'])
  },
  'concurrent requests for different groups each get the response to their own': async () => {
    const scenario = await createScenario()
    const groupIds = Array.from({ length: 20 }, (_, index) => `g${index}`)
    const responses = await Promise.all(
      groupIds.map((groupId) => postGroup(scenario, { ...createBody, groupId })),
    )
    equal(
      await Promise.all(responses.map((response) => response.json())),
      groupIds.map((groupId) => ({ success: true, groupId })),
    )
    const generated = await Promise.all(groupIds.map(() => postGroup(scenario)))
    const ids = await Promise.all(generated.map(async (response) => (await response.json()).groupId))
    equal(new Set(ids).size, 20)
  },
  'a request that is refused does not use up its groupId': async () => {
    const scenario = await createScenario()
    const good = { ...createBody, groupId: 'g' }
    for (const [body, key, status] of [
      [{ ...good, subject: '' }, 'wk_all_0123456789', 400],
      [{ ...good, wabaNumber: '1' }, 'wk_all_0123456789', 400],
      [good, 'nobody', 401],
      [good, 'wk_second_0123456789', 403],
      [{ ...good, wabaNumber: disabledWaba }, 'wk_all_0123456789', 422],
    ] as const)
      equal((await postGroup(scenario, body, { key })).status, status)
    await expectNothing(scenario)
    equal((await postGroup(scenario, good)).status, 200)
  },
  'checks in this order: key, body, integration, permission, business rules': async () => {
    const scenario = await createScenario()
    const disabled = { wabaNumber: disabledWaba, subject: 'x' }
    const wrongType = { 'content-type': 'text/plain' }
    await expectError(
      await postGroup(scenario, '{', { key: 'nobody', headers: wrongType }),
      401,
      'invalid_api_key',
    )
    await expectError(
      await postGroup(scenario, '{', { key: 'wk_second_0123456789', headers: wrongType }),
      415,
      'unsupported_media_type',
    )
    await expectError(
      await postGroup(scenario, { wabaNumber: '1' }, { key: 'wk_second_0123456789' }),
      400,
      'invalid_subject',
    )
    await expectError(
      await postGroup(scenario, { wabaNumber: '1', subject: 'x' }, { key: 'wk_second_0123456789' }),
      400,
      'integration_not_found',
    )
    await expectError(
      await postGroup(scenario, disabled, { key: 'wk_second_0123456789' }),
      403,
      'waba_number_not_permitted',
    )
    await expectError(await postGroup(scenario, disabled), 422, 'integration_disabled')
    await expectNothing(scenario)
  },
  'every response has its own x-request-id': async () => {
    const scenario = await createScenario()
    const responses = [
      await postGroup(scenario),
      await postGroup(scenario, '{'),
      await postGroup(scenario, {}, { key: null }),
    ]
    const ids = responses.map(({ headers }) => headers.get('x-request-id'))
    ok(
      ids.every((id) => /^req_\w{26}$/.test(id ?? '')),
      String(ids),
    )
    equal(new Set(ids).size, 3)
  },
  'an unknown path is 404, another method 405 with Allow': async () => {
    const { server } = await createScenario()
    const ask = (path: string, method: string) =>
      server.fetch(new Request(`https://api.example.com${path}`, { method }))
    for (const path of [
      '/',
      '/whatsapp/wa-group',
      '/whatsapp/wa-group/create/',
      '/v2/call/ai-summary',
      '/toString',
    ]) {
      await expectError(await ask(path, 'GET'), 404, 'route_not_found')
    }
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await ask('/whatsapp/wa-group/create', method)
      equal(response.headers.get('allow'), 'POST')
      await expectError(response, 405, 'method_not_allowed')
    }
    const response = await ask('/v1/call/ai-summary', 'POST')
    equal(response.headers.get('allow'), 'GET')
    await expectError(response, 405, 'method_not_allowed')
  },
})

/** The create endpoint. */
export const createGroupCases = [...fields, ...bodies, ...rules]
