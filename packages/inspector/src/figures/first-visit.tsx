import { addApiKey } from '../actions/api-keys.tsx'
import { openSimulation } from '../actions/simulate.tsx'
import { addSubscription } from '../actions/subscription-form.tsx'
import { organization } from '../api/organization.ts'
import { info } from '../api/send.ts'
import { Button } from '../components/button.tsx'
import { Facts } from '../components/facts.tsx'
import { Icon } from '../components/icon.tsx'
import { Command } from '../list/empty-state.tsx'
import { apiUrl } from '../state/route.ts'

type StepProps = {
  readonly isDone: boolean
  readonly title: string
  readonly text: string
  readonly label: string
  readonly onClick: () => void
  readonly command: string
}

const Step = ({ isDone, title, text, label, onClick, command }: StepProps) => (
  <li class={isDone ? 'done' : ''}>
    <h3>
      {isDone && <Icon name="check" />} {title}
      {isDone && <span class="sr-only"> (done)</span>}
    </h3>
    <p class="quiet">{text}</p>
    <Button {...(!isDone && { kind: 'primary' })} onClick={onClick}>
      {label}
    </Button>
    <p class="command">
      <Command command={command} />
    </p>
  </li>
)

type FirstVisitProps = { readonly isSubscribed: boolean; readonly hasEvents: boolean }

/** The running server, its numbers and the next steps, shown until there are an endpoint and an event. */
export const FirstVisit = ({ isSubscribed, hasEvents }: FirstVisitProps) => {
  const { integrations = [], pstnNumbers = [] } = organization.value ?? {}
  const { version, database, can = [] } = info.value ?? {}
  return (
    <section class="first-visit" aria-label="First steps">
      <h2>First steps</h2>
      <Facts
        isInline
        facts={{
          Server: version && `${version}, ${database}${can.includes('faults') ? ', sandbox' : ''}`,
          'Address of the API': apiUrl,
          'WhatsApp numbers': integrations.map(({ wabaNumber }) => wabaNumber).join(', '),
          'Telephone numbers': pstnNumbers.join(', '),
        }}
      />
      <ol class="steps">
        <Step
          isDone={isSubscribed}
          title="Subscribe an endpoint"
          text="The URL of your application that gets the events of a number as webhooks."
          label="Subscribe an endpoint"
          onClick={addSubscription}
          command="wabakit listen --forward-to http://127.0.0.1:3000/webhooks"
        />
        <Step
          isDone={hasEvents}
          title="Make something happen"
          text="A simulated call, from the first ring to its summary. Each of its events is delivered."
          label="Simulate a call"
          onClick={openSimulation}
          command="wabakit trigger call"
        />
        <Step
          isDone={false}
          title="Call the API"
          text="Your application needs a key to create groups and to read summaries."
          label="Create an API key"
          onClick={addApiKey}
          command="wabakit key create"
        />
      </ol>
    </section>
  )
}
