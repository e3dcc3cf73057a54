import type { Store } from '@wabakit/core'
import { parsePosition, toPage } from '@wabakit/core/storage'
import type { Access } from './record-access.ts'
import { insertInto, mapTable } from './records.ts'
import { markRemoved, type Removals } from './removals.ts'
import { createSave } from './revisions.ts'

const organizations = mapTable('organizations')
const apiKeys = mapTable('apiKeys')

export const createTenancy = (
  { database, remember, findOrganization, read, write, writeTo }: Access,
  removals: Removals,
) => {
  const save = createSave(database, 'organizations')
  const findMark = database.prepare('select revision < 0 as isRemoved from organizations where id = ?')
  const list = database.prepare(
    'select * from organizations where position > ? and revision > 0 order by position limit ?',
  )
  const remove = database.prepare('update organizations set revision = -1 where id = ? and revision > 0')
  const removeKeys = database.prepare('delete from apiKeys where organizationId = ?')
  const removeSubscriptions = database.prepare(`${markRemoved} where organizationId = ?`)
  const addKey = database.prepare(`${insertInto('apiKeys', apiKeys.columns)} on conflict do nothing`)
  const listKeys = database.prepare('select * from apiKeys where organizationId = ? order by position')
  const removeKey = database.prepare('delete from apiKeys where organizationId = ? and id = ?')
  const findKey = database.prepare('select * from apiKeys where hash = ?')

  const findCaller = remember(['apiKeys', 'organizations'], (keyHash: string) => {
    const key = apiKeys.find(findKey, keyHash)
    const organization = key && findOrganization(key.organizationId)
    return organization && { key, organization }
  })

  return {
    saveOrganization: async (organization) => {
      // The removal of an organization with the same id may still be under way.
      if ((await read(() => findMark.get(organization.id)))?.isRemoved === 1) await removals.endAll()
      return write(() => save(organization))
    },
    findOrganization: (organizationId) => read(() => findOrganization(organizationId)),
    listOrganizations: ({ cursor = '0', limit }) =>
      read(() =>
        toPage({
          rows: list.all(Number(parsePosition(cursor)), limit + 1),
          limit,
          toItem: organizations.toRecord,
          toCursor: ({ position }) => String(position),
        }),
      ),
    removeOrganization: async (organizationId) => {
      const isRemoved = await write(() => {
        if (Number(remove.run(organizationId).changes) === 0) return false
        removeKeys.run(organizationId)
        removeSubscriptions.run(organizationId)
        return true
      })
      return isRemoved && removals.end(true)
    },

    addApiKey: (key) =>
      writeTo(key.organizationId, () =>
        Number(addKey.run(...apiKeys.toValues(key)).changes) === 1 ? 'added' : 'taken',
      ),
    listApiKeys: (organizationId) => read(() => listKeys.all(organizationId).map(apiKeys.toRecord)),
    removeApiKey: (organizationId, keyId) =>
      write(() => Number(removeKey.run(organizationId, keyId).changes) > 0),
    findCaller: (keyHash) => read(() => findCaller(keyHash)),
  } satisfies Partial<Store>
}
