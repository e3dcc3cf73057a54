import type { ApiKey, ApiRequest, ApiRequestDetails } from '@wabakit/server/control-types'
import { addApiKey } from '../actions/api-keys.tsx'
import { sendOwn } from '../api/organization.ts'
import { send } from '../api/send.ts'
import { BodyView } from '../components/body-view.tsx'
import { Breakable } from '../components/breakable.tsx'
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
import { apiUrl, isTrace } from '../state/route.ts'
import { callFilter, groupFilter, timeFilter } from './filters.ts'

const linkTo = (view: 'calls' | 'groups', id: string | null) =>
  id !== null && (
    <RecordLink view={view} id={id}>
      <span class="id">{id}</span>
    </RecordLink>
  )

const nameKey = ({ keyLabel, keyId }: ApiRequest): string | null => keyLabel || keyId

const keyFaults = { missing: 'no key', unknown: 'wrong key', conflicting: 'different keys' } as const

/** Why a request was refused: what is wrong with its key or, if that is valid, the error code. Empty if it was not. */
const nameCause = ({ status, code, keyFault, keyFingerprint }: ApiRequest): string =>
  status === 401 && keyFault !== null ? `${keyFaults[keyFault]} ${keyFingerprint ?? ''}` : (code ?? '')

const join = (...texts: readonly (string | null)[]): string => texts.filter(Boolean).join(' · ')

const nameSender = (request: ApiRequest): string =>
  join(nameKey(request), request.address && showText(request.address))

/** A request that was read, and whether its organization has a key with which it could have been sent. */
type Loaded = { readonly request: ApiRequestDetails; readonly hasKey: boolean }

const load = async (id: string): Promise<Loaded> => {
  const request = await send<ApiRequestDetails>(['requests', id])
  if (request.keyFault === null) return { request, hasKey: true }
  const { items } = await sendOwn<{ items: readonly ApiKey[] }>(['api-keys'])
  return { request, hasKey: items.length > 0 }
}

const CreateKey = () =>
  isTrace ? (
    <>create one</>
  ) : (
    <button type="button" class="link" onClick={addApiKey}>
      create one
    </button>
  )

/** Why a request has no caller, and what to do. */
const KeyFault = ({ request: { keyFault, keyFingerprint }, hasKey }: Loaded) => {
  if (keyFault === 'conflicting') return <>the headers have different keys: send one</>
  if (!hasKey)
    return (
      <>
        there is no key yet: <CreateKey />
      </>
    )
  if (keyFault === 'missing') return <>none was sent: send it in the authorization header, without a prefix</>
  return (
    <>
      no key has the fingerprint <span class="id">{keyFingerprint}</span>: send{' '}
      <RecordLink view="api-keys">one that is valid</RecordLink>, or <CreateKey />
    </>
  )
}

const RequestDetail = ({ id, item: listed }: DetailProps<ApiRequest>) => {
  const { value, problem } = useRecord({ load: () => load(id) })
  const details = value?.request
  const item = details ?? listed
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
            'API key':
              nameKey(item) ?? (value && item.keyFault ? <KeyFault {...value} /> : 'none, or not valid'),
            Query: item.query,
            From: item.address && showText(item.address),
            'User agent': item.userAgent && showText(item.userAgent),
            Group: linkTo('groups', item.groupId),
            Call: linkTo('calls', item.callId),
            Repeated: item.repeated && 'yes: an earlier request with the same content created the group',
            'Request id': <span class="id">{item.requestId}</span>,
          }}
        />
      )}
      {details?.requestBody && <BodyView text={details.requestBody} label="Request body" />}
      {details?.responseBody && <BodyView text={details.responseBody} label="Response body" />}
      {details && details.requestBody === null && details.responseBody === null && (
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
  searches: 'paths and senders',
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
    Status: { width: '56px', cell: ({ status }) => <HttpStatus status={status} /> },
    Method: { width: '48px', cell: ({ method }) => <span class="quiet">{method}</span>, isExtra: 'below' },
    Path: {
      width: 'minmax(110px, 2.4fr)',
      cell: ({ path }) => <span class="name">{path}</span>,
      isName: true,
    },
    Cause: {
      width: 'minmax(90px, 1.9fr)',
      cell: (request) => {
        const cause = nameCause(request)
        const sender = join(nameSender(request), request.userAgent && showText(request.userAgent))
        return (
          <>
            {cause}
            <span class="brief">{cause && sender ? ` · ${sender}` : sender}</span>
          </>
        )
      },
      isExtra: 'below',
    },
    From: {
      width: 'minmax(70px, 1.4fr)',
      cell: (request) => <span class="two-lines">{nameSender(request)}</span>,
      isExtra: true,
    },
    'User agent': {
      width: 'minmax(40px, 1.4fr)',
      cell: ({ userAgent }) =>
        userAgent && (
          <span class="two-lines quiet">
            <Breakable text={showText(userAgent)} />
          </span>
        ),
      isExtra: true,
    },
    About: {
      width: 'minmax(45px, 0.6fr)',
      cell: ({ groupId, callId }) => linkTo('groups', groupId) || linkTo('calls', callId),
      isExtra: true,
    },
    Took: {
      width: '56px',
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
