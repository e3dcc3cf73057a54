import type { CreateGroupResponse } from '@wabakit/contract'
import { createGroup, type GroupsContext } from '../groups/groups.ts'
import { parseCreateGroup } from '../groups/parse-create-group.ts'
import type { CallerRecord } from '../records.ts'
import { type Answer, granted } from './answer.ts'
import { readJson } from './read-json.ts'

/** `POST /whatsapp/wa-group/create`. */
export const createGroupEndpoint = async (
  request: Request,
  { key, organization }: CallerRecord,
  context: GroupsContext,
): Promise<Answer> => {
  const body = parseCreateGroup(await readJson(request))
  const { groupId } = await createGroup(context, { organization, permitted: key.wabaNumbers }, body)
  return granted({ success: true, groupId } satisfies CreateGroupResponse)
}
