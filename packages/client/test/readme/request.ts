import { client } from './create.ts'

export const findGroup = (groupId: string): Promise<unknown> =>
  client.request({ method: 'GET', path: '/whatsapp/wa-group/info', query: { groupId } })
