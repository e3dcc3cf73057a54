import type { ApiRequest, ApiRequestDetails } from '@wabakit/server/control-types'
import { send } from '../api/send.ts'
import { BodyView } from '../components/body-view.tsx'
import { Facts } from '../components/facts.tsx'
import { Panel } from '../components/panel.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { HttpStatus } from '../components/status.tsx'
import { Time, timeWidth } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { toChoices } from '../format/choices.ts'
import { showText } from '../format/mask.ts'
import { formatDuration } from '../format/time.ts'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'
import { apiUrl } from '../state/route.ts'
import { callFilter, groupFilter, timeFilter } from './filters.ts'

const linkTo = (view: 'calls' | 'groups', id: string | null) =>
  id !== null && (
    <RecordLink view={view} id={id}>
      <span class="id">{id}</span>
    </RecordLink>
  )

const nameKey = ({ keyLabel, keyId }: ApiRequest): string | null => keyLabel || keyId

/** Why a request has no caller, and what to do. */
const KeyFault = ({ keyFault, keyFingerprint }: ApiRequestDetails) => {
  if (keyFault === 'missing') return <>none was sent: send it in the authorization header, without a prefix</>
  if (keyFault === 'conflicting') return <>the headers have different keys: send one</>
  return (
    <>
      the one with the fingerprint <span class="id">{keyFingerprint}</span> matches no key: compare it with
      those of <RecordLink view="api-keys">the keys</RecordLink>, or create one
    </>
  )
}

const RequestDetail = ({ id, item: listed }: DetailProps<ApiRequest>) => {
  const { value, problem } = useRecord({ load: () => send<ApiRequestDetails>(['requests', id]) })
  const item = value ?? listed
  return (
    <Panel
      label="API request"
      title={item === undefined ? id : `${item.method} ${item.path}`}
      badge={item && <HttpStatus status={item.status} />}
      problem={problem}
    >
      {item !== undefined && (value ?? problem) && (
        <Facts
          facts={{
            At: <Time at={item.at} />,
            Took: formatDuration(item.durationMs),
            Code: item.code,
            'API key': nameKey(item) ?? (value?.keyFault ? <KeyFault {...value} /> : 'none, or not valid'),
            Query: value?.query,
            From: value?.address && showText(value.address),
            'User agent': value?.userAgent && showText(value.userAgent),
            Group: linkTo('groups', item.groupId),
            Call: linkTo('calls', item.callId),
            Repeated: item.repeated && 'yes: an earlier request with the same content created the group',
            'Request id': <span class="id">{item.requestId}</span>,
          }}
        />
      )}
      {value?.requestBody && <BodyView text={value.requestBody} label="Request body" />}
      {value?.responseBody && <BodyView text={value.responseBody} label="Response body" />}
      {value && value.requestBody === null && value.responseBody === null && (
        <p class="quiet">No body is kept: the request had none, or is older than the last 1,000.</p>
      )}
    </Panel>
  )
}

export const requests: ListDefinition<ApiRequest> = {
  view: 'requests',
  isShared: true,
  // The server does not know the organization of a request without a valid key, so every 401 would be hidden.
  query: { unidentified: 'include' },
  getId: ({ requestId }) => requestId,
  getTime: ({ at }) => at,
  searches: 'paths and ids',
  filters: [
    { key: 'status', label: 'Status', kind: 'text', placeholder: 'any' },
    { key: 'code', label: 'Code', kind: 'text', placeholder: 'any' },
    {
      key: 'unidentified',
      label: 'Key',
      kind: 'choice',
      choices: () => [{ value: 'only', label: 'missing or not valid' }],
    },
    { key: 'method', label: 'Method', kind: 'choice', choices: () => toChoices(['GET', 'POST']) },
    { key: 'key', label: 'Key id', kind: 'text', placeholder: 'any' },
    callFilter,
    groupFilter,
    timeFilter,
  ],
  columns: {
    Status: { width: '64px', cell: ({ status }) => <HttpStatus status={status} /> },
    Method: { width: '60px', cell: ({ method }) => <span class="quiet">{method}</span>, isExtra: 'below' },
    Path: {
      width: 'minmax(120px, 2fr)',
      cell: ({ path }) => <span class="name">{path}</span>,
      isName: true,
    },
    About: {
      width: 'minmax(70px, 1fr)',
      cell: ({ groupId, callId }) => linkTo('groups', groupId) || linkTo('calls', callId),
      isExtra: true,
    },
    Code: { width: 'minmax(85px, 1fr)', cell: ({ code }) => code ?? '', isExtra: 'below' },
    Key: { width: 'minmax(60px, 1fr)', cell: (request) => nameKey(request) ?? '–', isExtra: true },
    Took: {
      width: '72px',
      cell: ({ durationMs }) => <span class="number">{formatDuration(durationMs)}</span>,
      isExtra: true,
    },
    Time: { width: timeWidth, cell: ({ at }) => <Time at={at} /> },
  },
  isAbout: () => false,
  pollMs: 2_000,
  Detail: RequestDetail,
  empty: {
    title: 'No API requests yet',
    text: 'The last 10,000 requests to this server process appear here. Send one:',
    commands: [
      'wabakit key create',
      `curl -H 'authorization: <the key>' '${apiUrl}/v1/call/ai-summary?callId=any'`,
    ],
  },
}
