import type { ApiKey, NewApiKey } from '@wabakit/server/control-types'
import { organization, sendOwn } from '../api/organization.ts'
import { reloadAll } from '../api/reload.ts'
import { Confirmation, Dialog, type DialogControl, openDialog, ShownOnce } from '../components/dialog.tsx'
import { SchemaForm } from '../components/schema-form.tsx'
import { Time } from '../components/time.tsx'
import { toChoices } from '../format/choices.ts'
import type { Field } from '../format/schema-fields.ts'

const createFields = (): Field[] => [
  {
    name: 'label',
    label: 'Label',
    description: 'A name for people, such as crm-production.',
    kind: 'text',
    empty: 'none',
  },
  {
    name: 'wabaNumbers',
    label: 'WhatsApp numbers',
    description:
      'The numbers whose groups it may create. None checked: all, also those that are added later.',
    kind: 'several',
    choices: toChoices((organization.value?.integrations ?? []).map(({ wabaNumber }) => wabaNumber)),
  },
]

const create = async (body: object): Promise<void> => {
  const { key } = await sendOwn<NewApiKey>(['api-keys'], { body })
  reloadAll()
  openDialog((close) => (
    <ShownOnce title="API key created" name="API key" secret={key} to="the application" onClose={close}>
      <p class="quiet">
        Requests carry it in the <code>authorization</code> header, without a prefix.
      </p>
    </ShownOnce>
  ))
}

const NewApiKeyForm = ({ onClose }: DialogControl) => (
  <Dialog title="Create an API key" onClose={onClose}>
    <SchemaForm
      fields={createFields()}
      groups={[{ title: 'Key', fields: ['label', 'wabaNumbers'] }]}
      initial={{}}
      submitLabel="Create"
      onSubmit={create}
      onCancel={onClose}
    />
  </Dialog>
)

export const addApiKey = (): void => openDialog((close) => <NewApiKeyForm onClose={close} />)

export const LastRequest = ({ lastRequestAt }: Pick<ApiKey, 'lastRequestAt'>) =>
  lastRequestAt === null ? <>not among the last 10,000 requests</> : <Time at={lastRequestAt} />

export const askToRemoveKey = ({ id, label, lastRequestAt }: ApiKey): void =>
  openDialog((close) => (
    <Confirmation
      title="Delete the key"
      object={label}
      done="Deleted."
      onConfirm={() => sendOwn(['api-keys', id], { method: 'DELETE' })}
      onClose={close}
    >
      <p>
        Every application that uses {label === '' ? 'this key' : <strong>{label}</strong>} gets 401
        immediately. Its last request: <LastRequest lastRequestAt={lastRequestAt} />.
      </p>
      <p class="quiet">
        To replace a key without an interruption, first create another and give it to the application.
      </p>
    </Confirmation>
  ))
