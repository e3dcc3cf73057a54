import type { ApiRequest } from '@wabakit/server/control-types'
import { formatDuration } from '../format/time.ts'
import type { ListDefinition } from '../list/list-definition.ts'
import { HttpStatus } from '../parts/status.tsx'
import { Time, timeWidth } from '../parts/time.tsx'
import { callFilter, groupFilter, timeFilter } from './filters.ts'

export const requests: ListDefinition<ApiRequest> = {
  view: 'requests',
  title: 'API requests',
  source: (id) => ({ path: '/requests', query: { organization: id } }),
  getId: ({ requestId }) => requestId,
  getTime: ({ at }) => at,
  searches: 'paths and ids',
  filters: [
    {
      key: 'method',
      label: 'Method',
      kind: 'choice',
      choices: () => ['GET', 'POST'].map((value) => ({ value, label: value })),
    },
    { key: 'status', label: 'Status', kind: 'text', placeholder: 'any' },
    { key: 'code', label: 'Code', kind: 'text', placeholder: 'any' },
    callFilter,
    groupFilter,
    timeFilter,
  ],
  columns: [
    { title: 'Status', width: '64px', cell: ({ status }) => <HttpStatus status={status} /> },
    {
      title: 'Method',
      width: '60px',
      cell: ({ method }) => <span class="quiet">{method}</span>,
      isExtra: 'below',
    },
    { title: 'Path', width: 'minmax(140px, 2fr)', cell: ({ path }) => <span class="name">{path}</span> },
    { title: 'Code', width: 'minmax(90px, 1fr)', cell: ({ code }) => code ?? '', isExtra: 'below' },
    { title: 'Key', width: 'minmax(70px, 1fr)', cell: ({ keyLabel }) => keyLabel ?? '–', isExtra: true },
    {
      title: 'Took',
      width: '72px',
      cell: ({ durationMs }) => <span class="number">{formatDuration(durationMs)}</span>,
      isExtra: true,
    },
    { title: 'Time', width: timeWidth, cell: ({ at }) => <Time at={at} /> },
  ],
  isChangedBy: () => false,
  pollMs: 2_000,
  empty: {
    title: 'No API requests yet',
    text: 'The last 10,000 requests to which this process has responded appear here. Send one:',
    commands: [
      'wabakit key create',
      `curl -H 'authorization: <the key>' '${location.origin}/v1/call/ai-summary?callId=any'`,
    ],
  },
}
