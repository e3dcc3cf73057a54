import { JoinApprovalMode } from '@wabakit/contract'
import * as z from 'zod/mini'
import { notFound } from '../not-found.ts'
import { operation } from '../operation.ts'
import { listOf, named, pageOf } from '../schema-names.ts'
import { identifier, phoneNumber } from '../texts.ts'
import {
  ApiKeyView,
  NewApiKeyView,
  OrganizationView,
  showApiKey,
  showOrganization,
} from '../views/organization.ts'
import { pageQuery } from './page-query.ts'

const tag = 'Organizations'

const settings = () => ({
  callSummaries: z.optional(z.enum(['automatic', 'manual'])),
  integrations: z.optional(
    z.array(
      z.strictObject({
        wabaNumber: phoneNumber(),
        enabled: z.optional(z.boolean()),
        joinApprovalMode: z.optional(JoinApprovalMode),
      }),
    ),
  ),
  pstnNumbers: z.optional(z.array(phoneNumber())),
})

const keyText = () =>
  z.string().check(z.regex(/^[!-~]{16,}$/, 'must have at least 16 visible ASCII characters'))

const keySettings = () => ({
  label: z.optional(z.string()),
  wabaNumbers: z.optional(z.union([z.literal('all'), z.array(phoneNumber())])),
})

const NewApiKey = named(
  'NewApiKeyRequest',
  'A key to make. Without `key` a random one; `wabaNumbers` are those it may use.',
  z.strictObject({ key: z.optional(keyText()), ...keySettings() }),
)

const KnownApiKey = named(
  'KnownApiKeyRequest',
  'A key of a new organization: one that is known already, since the answer shows none.',
  z.strictObject({ key: keyText(), ...keySettings() }),
)

const NewOrganization = named(
  'NewOrganizationRequest',
  'An organization to make.',
  z.strictObject({ id: z.optional(identifier()), ...settings(), apiKeys: z.optional(z.array(KnownApiKey)) }),
)

const OrganizationChange = named(
  'OrganizationChangeRequest',
  'What shall change; what is omitted stays, lists are replaced as a whole.',
  z.strictObject(settings()),
)

/** Operations on organizations, their numbers and their keys. */
export const organizationOperations = [
  operation({
    id: 'listOrganizations',
    method: 'GET',
    path: '/organizations',
    summary: 'The organizations, oldest first',
    tag,
    query: z.strictObject(pageQuery()),
    result: pageOf('Organization', OrganizationView),
    run: async ({ query }, { service }) => {
      const { items, ...rest } = await service.organizations.list(query)
      return { ...rest, items: items.map(showOrganization) }
    },
  }),
  operation({
    id: 'createOrganization',
    method: 'POST',
    path: '/organizations',
    summary: 'Make an organization',
    tag,
    body: NewOrganization,
    result: OrganizationView,
    status: 201,
    run: async ({ body }, { service }) => showOrganization(await service.organizations.create(body)),
  }),
  operation({
    id: 'getOrganization',
    method: 'GET',
    path: '/organizations/:organizationId',
    summary: 'An organization',
    tag,
    result: OrganizationView,
    run: async ({ parameter }, { service }) => {
      const id = parameter('organizationId')
      const found = await service.organizations.find(id)
      if (found === undefined) throw notFound('organization', id)
      return showOrganization(found)
    },
  }),
  operation({
    id: 'updateOrganization',
    method: 'PATCH',
    path: '/organizations/:organizationId',
    summary: "Change an organization's settings, integrations or numbers",
    tag,
    body: OrganizationChange,
    result: OrganizationView,
    run: async ({ parameter, body }, { service }) =>
      showOrganization(await service.organizations.update(parameter('organizationId'), body)),
  }),
  operation({
    id: 'removeOrganization',
    method: 'DELETE',
    path: '/organizations/:organizationId',
    summary: 'Remove an organization with everything it has',
    tag,
    run: async ({ parameter }, { service }) => {
      const id = parameter('organizationId')
      if (!(await service.organizations.remove(id))) throw notFound('organization', id)
    },
  }),
  operation({
    id: 'listApiKeys',
    method: 'GET',
    path: '/organizations/:organizationId/api-keys',
    summary: "An organization's keys, oldest first",
    tag,
    result: listOf('ApiKey', ApiKeyView),
    run: async ({ parameter }, { service }) => ({
      items: (await service.apiKeys.list(parameter('organizationId'))).map(showApiKey),
    }),
  }),
  operation({
    id: 'createApiKey',
    method: 'POST',
    path: '/organizations/:organizationId/api-keys',
    summary: 'Make a key',
    tag,
    body: NewApiKey,
    result: NewApiKeyView,
    status: 201,
    run: async ({ parameter, body }, { service }) => {
      const { key, record } = await service.apiKeys.create(parameter('organizationId'), body)
      return { ...showApiKey(record), key }
    },
  }),
  operation({
    id: 'removeApiKey',
    method: 'DELETE',
    path: '/organizations/:organizationId/api-keys/:keyId',
    summary: 'Remove a key at once',
    tag,
    run: async ({ parameter }, { service }) => {
      const keyId = parameter('keyId')
      if (await service.apiKeys.remove(parameter('organizationId'), keyId)) return
      throw notFound('key', keyId)
    },
  }),
]
