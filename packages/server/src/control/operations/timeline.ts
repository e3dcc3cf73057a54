import * as z from 'zod/mini'
import { ControlError, requireFound } from '../control-error.ts'
import { subjectFilter } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { readTimeline, type TimelineSubject } from '../timeline/read-timeline.ts'
import { TimelineView } from '../views/timeline.ts'

type Subject = { readonly call?: string | undefined; readonly group?: string | undefined }

const parseSubject = ({ call, group }: Subject): TimelineSubject => {
  if (call !== undefined && group === undefined) return { call }
  if (group !== undefined && call === undefined) return { group }
  throw new ControlError('invalid_input', 'Name either a `call` or a `group`.')
}

/** Operations that return all records about one call or group. */
export const timelineOperations = [
  operationIn('Events')({
    id: 'getTimeline',
    route: 'GET /organizations/:organizationId/timeline',
    summary: 'Get everything that happened to a call or group, in order',
    query: z.strictObject(subjectFilter()),
    result: TimelineView,
    run: async ({ params, query }, context) => {
      const subject = parseSubject(query)
      const found = await readTimeline(context, params.organizationId, subject)
      if (subject.call === undefined) return requireFound(found, 'group', subject.group)
      return requireFound(found, 'call', subject.call)
    },
  }),
]
