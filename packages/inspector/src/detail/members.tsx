import { useSignal } from '@preact/signals'
import type { Page, Participant } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { Button } from '../components/button.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { Badge, LoadProblem } from '../components/status.tsx'
import { TableHead } from '../components/table-head.tsx'
import { Time } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { showNumber } from '../format/mask.ts'

const pageSize = 100

const toDigits = (number: string): string => number.replace(/\D/g, '')

/** The people who are or were in a group. */
export const Members = ({ groupId }: { readonly groupId: string }) => {
  const limit = useSignal(pageSize)
  const { value, problem } = useRecord(
    {
      load: () =>
        sendOwn<Page<Participant>>(['participants'], { query: { group: groupId, limit: limit.value } }),
      isAbout: (message) => message.type === 'event' && message.event.subject === `group:${groupId}`,
    },
    [groupId, limit.value],
  )
  const members = value?.items ?? []
  return (
    <details class="members">
      <summary>
        Members ({members.length}
        {value?.nextCursor === undefined ? '' : ' or more'})
      </summary>
      <LoadProblem text={problem} />
      {members.length === 0 ? (
        <p class="quiet">No members yet. Simulate a participant, or send the invite link.</p>
      ) : (
        <table>
          <TableHead columns={{ Number: '', State: '', Since: '' }} />
          <tbody>
            {members.map(({ phone, state, changedAt }) => (
              <tr key={phone}>
                <th scope="row">
                  <RecordLink view="customers" id={toDigits(phone)}>
                    {showNumber(phone)}
                  </RecordLink>
                </th>
                <td>
                  <Badge tone={state === 'joined' ? 'good' : 'idle'}>{state}</Badge>
                </td>
                <td>
                  <Time at={changedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {value?.nextCursor !== undefined && limit.value < 1_000 && (
        <Button onClick={() => (limit.value = 1_000)}>Show more</Button>
      )}
    </details>
  )
}
