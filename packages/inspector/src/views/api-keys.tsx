import type { ApiKey } from '@wabakit/server/control-types'
import { addApiKey, askToRemoveKey, LastRequest } from '../actions/api-keys.tsx'
import { Button } from '../components/button.tsx'
import { Facts } from '../components/facts.tsx'
import { Panel } from '../components/panel.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { Time, timeWidth } from '../components/time.tsx'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'

const name = ({ label, id }: ApiKey): string => label || id

const formatNumbers = ({ wabaNumbers }: ApiKey): string =>
  wabaNumbers === 'all' ? 'all' : wabaNumbers.join(', ')

const ApiKeyDetail = ({ id, item, isLoading }: DetailProps<ApiKey>) => (
  <Panel
    label="API key"
    title={item === undefined ? id : name(item)}
    actions={
      item && (
        <Button kind="danger" onClick={() => askToRemoveKey(item)}>
          Delete
        </Button>
      )
    }
  >
    {item === undefined && !isLoading && <p class="quiet">There is no such key any more.</p>}
    {item !== undefined && (
      <Facts
        facts={{
          'WhatsApp numbers': formatNumbers(item),
          'Last request': <LastRequest {...item} />,
          Requests: (
            <RecordLink view="requests" filters={{ key: id }}>
              its requests
            </RecordLink>
          ),
          Fingerprint: <span class="id">{item.fingerprint}</span>,
          Created: <Time at={item.createdAt} />,
          Id: <span class="id">{id}</span>,
        }}
      />
    )}
  </Panel>
)

export const apiKeys: ListDefinition<ApiKey> = {
  view: 'api-keys',
  getId: ({ id }) => id,
  filters: [],
  columns: {
    Key: { width: 'minmax(120px, 1fr)', cell: (key) => <span class="name">{name(key)}</span>, isName: true },
    Numbers: {
      width: 'minmax(120px, 1fr)',
      cell: (key) => (
        <>
          <span class="brief">
            <span class="id">{key.fingerprint}</span> ·{' '}
          </span>
          {formatNumbers(key)}
        </>
      ),
      isExtra: 'below',
    },
    Fingerprint: {
      width: '112px',
      cell: ({ fingerprint }) => <span class="id">{fingerprint}</span>,
      isExtra: true,
    },
    'Last request': {
      width: `max(76px, ${timeWidth})`,
      cell: ({ lastRequestAt }) =>
        lastRequestAt === null ? <span class="quiet">–</span> : <Time at={lastRequestAt} />,
    },
    Created: { width: timeWidth, cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
  },
  isAbout: () => false,
  pollMs: 10_000,
  add: { label: 'Create an API key', run: addApiKey },
  Detail: ApiKeyDetail,
  empty: {
    title: 'No API keys yet',
    text: 'An application needs a key to create groups and to read summaries.',
    commands: ['wabakit key create'],
  },
}
