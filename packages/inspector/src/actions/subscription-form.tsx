import { useSignal } from '@preact/signals'
import type { ListedSubscription, Subscription, SubscriptionWithSecret } from '@wabakit/server/control-types'
import { eventNames, maskUrl } from '@wabakit/wire'
import { ApiError } from '../api/api-error.ts'
import { organization, sendOwn } from '../api/organization.ts'
import { reloadAll } from '../api/reload.ts'
import { shortenUrl, subscriptions } from '../api/subscriptions.ts'
import { Dialog, type DialogControl, openDialog, ShownOnce } from '../components/dialog.tsx'
import { SchemaForm } from '../components/schema-form.tsx'
import { type Choice, toChoices } from '../format/choices.ts'
import { completeUrl } from '../format/complete-url.ts'
import type { Field } from '../format/schema-fields.ts'
import { notify } from '../state/notices.ts'
import { navigate } from '../state/route.ts'
import { sendTestEvent } from './send-event.tsx'
import { UnfinishedCount } from './unfinished-count.tsx'

const healthEventNames = [
  'delivery.exhausted',
  'subscription.failing',
  'subscription.disabled',
  'subscription.recovered',
] as const

const operations = 'OPERATIONS'

/** The events of calls and groups. First comes the summary of a call, which most receivers need. */
const names = new Set(['CALL_AI_SUMMARY', ...eventNames])

/** Lists the numbers of the organization with their channels, and the channel of health events, which has no number. */
const listNumbers = (): Choice[] => {
  const { integrations = [], pstnNumbers = [] } = organization.value ?? {}
  return [
    ...integrations.map(({ wabaNumber }) => ({
      value: `WHATSAPP ${wabaNumber}`,
      label: `${wabaNumber} · WHATSAPP`,
    })),
    ...pstnNumbers.map((number) => ({ value: `PSTN ${number}`, label: `${number} · PSTN` })),
    { value: operations, label: 'health of the subscriptions · OPERATIONS' },
  ]
}

const createFields = (subscription: Subscription | undefined): Field[] => {
  const isKept = subscription !== undefined
  const isOperational = subscription?.channel === operations
  const offered = isOperational ? healthEventNames : [...names]
  const held = subscription?.headerNames.filter((name) => name !== 'authorization').join(', ')
  const isAuthorized = subscription?.headerNames.includes('authorization')
  const numberField: Field = {
    name: 'number',
    label: 'Number',
    description: 'Only events of this channel are sent.',
    isRequired: true,
    kind: 'choice',
    choices: listNumbers(),
  }
  return [
    {
      name: 'url',
      label: 'URL',
      description: 'https:// may be left out, and so may http:// for a loopback address.',
      isRequired: true,
      kind: 'url',
    },
    ...(isKept ? [] : [numberField]),
    {
      name: 'events',
      label: 'Events',
      description: 'None checked: all events, also those that are added later.',
      kind: 'several',
      choices: toChoices(offered),
    },
    {
      name: 'maxAttemptsPerSecond',
      label: 'Attempts per second',
      description: 'From 0.01 to 1,000.',
      kind: 'number',
      empty: 'no maximum',
    },
    {
      name: 'headers',
      label: 'Static headers',
      description: held
        ? `Now ${held}, whose values are never shown. Lines such as x-token: abc replace all of them; a single - removes them.`
        : 'Sent with every webhook. Lines such as x-token: abc.',
      kind: 'lines',
    },
    {
      name: 'authorization',
      label: 'Authorization',
      description: isAuthorized ? 'One is set, and is never shown.' : '',
      kind: 'choice',
      choices: [...toChoices(['Bearer', 'Basic']), ...(isAuthorized ? toChoices(['remove']) : [])],
      empty: isAuthorized ? 'keep it' : 'none',
    },
    { name: 'username', label: 'User name', description: 'For Basic.', kind: 'text', empty: 'none' },
    { name: 'credential', label: 'Token or password', description: '', kind: 'secret', empty: 'none' },
  ]
}

const refuse = (path: string, message: string): never => {
  throw new ApiError(0, '', { issues: [{ path, message }] })
}

/** Parses lines such as `x-token: abc`. A single hyphen stands for no headers. */
const parseHeaders = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines
      .filter((line) => line !== '-')
      .map((line) => {
        const [, name, value] = /^([^:]+):\s*(.+)$/.exec(line) ?? []
        if (name === undefined || value === undefined) {
          return refuse('headers', 'must be lines with a name, a colon and a value')
        }
        return [name.trim(), value]
      }),
  )

type Values = Readonly<Record<string, unknown>>

const buildAuthorization = ({ authorization, username, credential }: Values): object | null | undefined => {
  if (authorization === undefined) return undefined
  if (authorization === 'remove') return null
  if (credential === undefined) return refuse('credential', 'is required for this authorization')
  if (authorization === 'Bearer') return { token: credential }
  return username === undefined
    ? refuse('username', 'is required for Basic')
    : { username, password: credential }
}

const buildBody = (values: Values): object => {
  const { number, url, events = 'all', maxAttemptsPerSecond = null, headers } = values
  const [channel, ownNumber] = String(number ?? '').split(' ')
  return {
    ...(number !== undefined && { channel, number: ownNumber }),
    url: url && completeUrl(String(url)),
    events,
    maxAttemptsPerSecond,
    ...(Array.isArray(headers) && { headers: parseHeaders(headers) }),
    authorization: buildAuthorization(values),
  }
}

const groups = [
  { title: 'What is sent, and where', fields: ['url', 'number', 'events'] },
  {
    title: 'How it is sent: limit, headers, authorization',
    fields: ['maxAttemptsPerSecond', 'headers', 'authorization', 'username', 'credential'],
  },
]

const create = async (values: Values): Promise<void> => {
  const subscription = await sendOwn<SubscriptionWithSecret>(['subscriptions'], { body: buildBody(values) })
  const { id, secret } = subscription
  navigate('subscriptions', { id })
  reloadAll()
  openDialog((close) => (
    <ShownOnce
      title="Subscribed"
      name="secret"
      secret={secret}
      to="the receiver"
      next={
        subscription.channel === operations
          ? undefined
          : { label: 'Send a test event', run: () => sendTestEvent(subscription) }
      }
      onClose={close}
    >
      <p>The receiver needs it to verify the signature of each webhook.</p>
    </ShownOnce>
  ))
}

/** Finds an enabled subscription that gets some of the same events at the same URL. */
const findTwin = (values: FormData): ListedSubscription | undefined => {
  const url = maskUrl(completeUrl(String(values.get('url') ?? '')))
  const [channel, number] = String(values.get('number') ?? '').split(' ')
  const events = values.getAll('events').map(String)
  return subscriptions.value.find(
    (each) =>
      each.enabled &&
      each.url === url &&
      each.channel === channel &&
      each.number === (number ?? '') &&
      (events.length === 0 || each.events === 'all' || each.events.some((name) => events.includes(name))),
  )
}

/** Warns of another subscription that sends the same events to the same URL, which is allowed. */
const Twin = ({ twin, onClose }: DialogControl & { readonly twin: ListedSubscription | undefined }) => {
  const open = (id: string): void => {
    onClose()
    navigate('subscriptions', { id })
  }
  return (
    <div class="whole" role="status">
      {twin !== undefined && (
        <p class="caution">
          A subscription with this URL exists: the endpoint would get each event twice.{' '}
          <button type="button" class="link" onClick={() => open(twin.id)}>
            Open it
          </button>
        </p>
      )}
    </div>
  )
}

const NewSubscription = ({ onClose }: DialogControl) => {
  const twin = useSignal<ListedSubscription | undefined>(undefined)
  return (
    <Dialog title="Subscribe an endpoint" onClose={onClose}>
      <SchemaForm
        fields={createFields(undefined)}
        groups={groups.map((group) => ({ ...group, isFolded: group.fields.includes('headers') }))}
        initial={{ number: listNumbers()[0]?.value ?? '' }}
        submitLabel="Subscribe"
        onSubmit={create}
        onChange={(values) => (twin.value = findTwin(values))}
        onCancel={onClose}
        remarks={{ url: <Twin twin={twin.value} onClose={onClose} /> }}
      />
    </Dialog>
  )
}

export const addSubscription = (): void => openDialog((close) => <NewSubscription onClose={close} />)

export const editSubscription = (subscription: Subscription): void => {
  const { id, url, events, maxAttemptsPerSecond, headerNames } = subscription
  openDialog((close) => (
    <Dialog title={`Edit ${shortenUrl(url)}`} onClose={close}>
      <SchemaForm
        fields={createFields(subscription)}
        groups={groups}
        initial={{
          url,
          events: events === 'all' ? '' : events.join(','),
          maxAttemptsPerSecond: String(maxAttemptsPerSecond ?? ''),
        }}
        submitLabel="Save"
        onSubmit={async (values) => {
          // The URL is shown with a masked query, so an unchanged one must not be sent back.
          const changed = { ...values, url: values.url === url ? undefined : values.url }
          await sendOwn(['subscriptions', id], { method: 'PATCH', body: buildBody(changed) })
          close()
          notify('Saved.')
          reloadAll()
        }}
        onCancel={close}
      >
        <p class="quiet">
          <UnfinishedCount subscriptionId={id} /> A new URL also gets those.{' '}
          {headerNames.length > 0 &&
            'A URL of another host ends the static headers and the authorization unless you enter them again. '}
          Events that you uncheck are no longer sent.
        </p>
      </SchemaForm>
    </Dialog>
  ))
}
