type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle'

/** A one-word state in the color of its tone. The word is clear without the color. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: string }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** An error message, if there is one. */
export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null

type DeliveryFacts = { readonly status: string; readonly failures: number }

const deliveryTones: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  exhausted: 'bad',
  claimed: 'busy',
  waiting: 'idle',
  skipped: 'idle',
}

/** The status of a delivery. */
export const DeliveryStatus = ({ status, failures }: DeliveryFacts) => (
  <Badge tone={status === 'pending' && failures > 0 ? 'warn' : (deliveryTones[status] ?? 'busy')}>
    {status}
  </Badge>
)

export const HttpStatus = ({ status }: { readonly status: number | null }) => {
  if (status === null) return <Badge tone="bad">no response</Badge>
  return <Badge tone={status < 300 ? 'good' : 'bad'}>{String(status)}</Badge>
}
