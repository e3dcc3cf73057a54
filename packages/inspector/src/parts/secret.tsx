import { useSignal } from '@preact/signals'
import { CopyButton } from './copy-button.tsx'

/** A secret that the server shows this once. It is hidden until the reader wants to see it. */
export const Secret = ({ secret }: { readonly secret: string }) => {
  const isShown = useSignal(false)
  return (
    <section class="verdict" aria-label="New secret">
      <h3>The new secret is shown only here</h3>
      <p class="line">
        <code>{isShown.value ? secret : '•'.repeat(24)}</code>
        <button
          type="button"
          class="link"
          onClick={() => {
            isShown.value = !isShown.value
          }}
        >
          {isShown.value ? 'Hide' : 'Show'}
        </button>
        <CopyButton text={secret} label="Copy the secret" />
      </p>
    </section>
  )
}
