import * as z from 'zod/mini'
import { requireFound } from '../../hosting/control-error.ts'
import { ApiKeyInput, KnownApiKey } from '../../tenancy/api-keys.ts'
import { OrganizationInput, OrganizationSettings } from '../../tenancy/organization-input.ts'
import { operationIn } from '../operation.ts'
import { list, named, page, pageQuery, showPage } from '../schemas.ts'
import {
  ApiKeyView,
  NewApiKeyView,
  OrganizationView,
  showApiKey,
  showOrganization,
} from '../views/organization.ts'

const operation = operationIn('Organizations')

const NewApiKey = named(
  'NewApiKeyRequest',
  'An API key to create. Without `key`, it is random. `wabaNumbers` are the numbers that it may use.',
  ApiKeyInput,
)

named(
  'KnownApiKeyRequest',
  'An API key of a new organization. The caller must choose it, because the response does not show it.',
  KnownApiKey,
)

const NewOrganization = named('NewOrganizationRequest', 'An organization to create.', OrganizationInput)

const OrganizationChange = named(
  'OrganizationChangeRequest',
  'The settings to change. Omitted ones stay as they are; lists are replaced as a whole.',
  OrganizationSettings,
)

export const organizationOperations = [
  operation({
    id: 'listOrganizations',
    route: 'GET /organizations',
    summary: 'List organizations, oldest first',
    query: z.strictObject(pageQuery),
    result: page('Organization', OrganizationView),
    run: async ({ query }, { service }) =>
      showPage(await service.organizations.list(query), showOrganization),
  }),
  operation({
    id: 'createOrganization',
    route: 'POST /organizations',
    summary: 'Create an organization',
    body: NewOrganization,
    result: OrganizationView,
    status: 201,
    run: async ({ body }, { service }) => showOrganization(await service.organizations.create(body)),
  }),
  operation({
    id: 'getOrganization',
    route: 'GET /organizations/:organizationId',
    summary: 'Get an organization',
    result: OrganizationView,
    run: async ({ params: { organizationId: id } }, { service }) =>
      showOrganization(requireFound(await service.organizations.find(id), 'organization', id)),
  }),
  operation({
    id: 'updateOrganization',
    route: 'PATCH /organizations/:organizationId',
    summary: "Change an organization's settings, integrations or numbers",
    body: OrganizationChange,
    result: OrganizationView,
    run: async ({ params, body }, { service }) =>
      showOrganization(await service.organizations.update(params.organizationId, body)),
  }),
  operation({
    id: 'removeOrganization',
    route: 'DELETE /organizations/:organizationId',
    summary: 'Delete an organization and everything that belongs to it',
    run: async ({ params: { organizationId: id } }, { service, requests }) => {
      const removed = await service.organizations.remove(id)
      if (removed) requests.forgetOrganization(id)
      requireFound(removed || undefined, 'organization', id)
    },
  }),
  operation({
    id: 'listApiKeys',
    route: 'GET /organizations/:organizationId/api-keys',
    summary: "List an organization's API keys, oldest first",
    result: list('ApiKey', ApiKeyView),
    run: async ({ params }, { service, requests }) => ({
      items: (await service.apiKeys.list(params.organizationId)).map((each) =>
        showApiKey(each, requests.findLastUse(each.organizationId, each.id)),
      ),
    }),
  }),
  operation({
    id: 'createApiKey',
    route: 'POST /organizations/:organizationId/api-keys',
    summary: 'Create an API key',
    body: NewApiKey,
    result: NewApiKeyView,
    status: 201,
    run: async ({ params, body }, { service }) => {
      const { key, record } = await service.apiKeys.create(params.organizationId, body)
      return { ...showApiKey(record, null), key }
    },
  }),
  operation({
    id: 'removeApiKey',
    route: 'DELETE /organizations/:organizationId/api-keys/:keyId',
    summary: 'Delete an API key, which stops working immediately',
    run: async ({ params: { organizationId, keyId } }, { service }) => {
      const removed = await service.apiKeys.remove(organizationId, keyId)
      requireFound(removed || undefined, 'key', keyId)
    },
  }),
]
