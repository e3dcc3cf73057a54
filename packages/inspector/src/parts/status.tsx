import type { Delivery } from '@wabakit/server/control-types'

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle'

/** A state in words, which must be clear without the color. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: string }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null

const deliveryTones: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  exhausted: 'bad',
  waiting: 'idle',
  skipped: 'idle',
}

export const DeliveryStatus = ({ status, failures }: Pick<Delivery, 'status' | 'failures'>) => (
  <Badge tone={status === 'pending' && failures > 0 ? 'warn' : (deliveryTones[status] ?? 'busy')}>
    {status}
  </Badge>
)

export const HttpStatus = ({ status }: { readonly status: number | null }) => {
  if (status === null) return <Badge tone="bad">no response</Badge>
  return <Badge tone={status < 300 ? 'good' : 'bad'}>{String(status)}</Badge>
}
