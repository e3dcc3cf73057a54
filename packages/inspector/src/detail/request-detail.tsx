import type { ApiRequest, Page } from '@wabakit/server/control-types'
import { organizationId } from '../api/organization.ts'
import { send } from '../api/send.ts'
import { formatDuration } from '../format/time.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { Facts } from '../parts/facts.tsx'
import { Panel } from '../parts/panel.tsx'
import { RecordLink } from '../parts/record-link.tsx'
import { HttpStatus } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { useRecord } from '../parts/use-record.ts'

export const RequestDetail = ({ id, item: listed }: DetailProps<ApiRequest>) => {
  const query = { organization: organizationId.value, text: id, limit: 1 }
  const { value } = useRecord({ load: () => send<Page<ApiRequest>>('/requests', { query }) }, [id])
  const item = listed ?? value?.items[0]
  return (
    <Panel
      label="API request"
      title={item === undefined ? id : `${item.method} ${item.path}`}
      badge={item && <HttpStatus status={item.status} />}
    >
      {item === undefined ? (
        <p class="hint">This process no longer remembers the request. It keeps the last 10,000.</p>
      ) : (
        <Facts
          facts={{
            At: <Time at={item.at} />,
            Took: formatDuration(item.durationMs),
            Code: item.code,
            'API key': item.keyLabel ?? 'none',
            Group: item.groupId !== null && (
              <RecordLink view="groups" id={item.groupId}>
                <span class="id">{item.groupId}</span>
              </RecordLink>
            ),
            Call: item.callId !== null && (
              <RecordLink view="calls" id={item.callId}>
                <span class="id">{item.callId}</span>
              </RecordLink>
            ),
            Repeated: item.repeated && 'yes: the same request created the group earlier',
            'Request id': <span class="id">{item.requestId}</span>,
          }}
        />
      )}
    </Panel>
  )
}
