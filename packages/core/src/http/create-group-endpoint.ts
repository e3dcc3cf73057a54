import type { CreateGroupResponse } from '@wabakit/contract'
import { createGroup, type GroupsContext } from '../groups/groups.ts'
import { parseCreateGroup } from '../groups/parse-create-group.ts'
import type { CallerRecord } from '../records.ts'
import { jsonResponse } from './json-response.ts'
import { readJson } from './read-json.ts'

/** `POST /whatsapp/wa-group/create`. */
export const createGroupEndpoint = async (
  request: Request,
  { key, organization }: CallerRecord,
  context: GroupsContext,
): Promise<Response> => {
  const body = parseCreateGroup(await readJson(request))
  const { groupId } = await createGroup(context, { organization, permitted: key.wabaNumbers }, body)
  return jsonResponse({ success: true, groupId } satisfies CreateGroupResponse)
}
