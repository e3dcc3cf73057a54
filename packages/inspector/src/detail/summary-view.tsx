import { useSignal } from '@preact/signals'
import type { Call } from '@wabakit/server/control-types'
import { showText } from '../format/mask.ts'

/** Maximum number of characters that are shown of a long text. */
const maxShown = 480

/**
 * A text that is collapsed if it is long. Its parent sets the direction, which also determines the place of a
 * bullet.
 */
const Text = ({ text }: { readonly text: string }) => {
  const isOpen = useSignal(false)
  const shown = showText(text)
  const isLong = shown.length > maxShown
  return (
    <p>
      {isLong && !isOpen.value ? `${shown.slice(0, maxShown)}…` : shown}
      {isLong && (
        <>
          {' '}
          <button
            type="button"
            class="link"
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {isOpen.value ? 'Less' : 'More'}
          </button>
        </>
      )}
    </p>
  )
}

const Points = ({ title, points }: { readonly title: string; readonly points: readonly string[] }) =>
  points.length === 0 ? null : (
    <div>
      <h4>{title}</h4>
      <ul>
        {points.map((point, index) => (
          <li key={index} dir="auto">
            <Text text={point} />
          </li>
        ))}
      </ul>
    </div>
  )

type SummaryViewProps = { readonly summary: NonNullable<Call['summary']> }

export const SummaryView = ({ summary }: SummaryViewProps) => {
  const { recap, keyPoints, nextSteps } = summary
  return (
    <div class="summary" role="group" aria-label="Summary of the call">
      <h3>Summary</h3>
      {recap && (
        <div dir="auto">
          <Text text={recap} />
        </div>
      )}
      <Points title="Key points" points={keyPoints ?? []} />
      <Points title="Next steps" points={nextSteps ?? []} />
    </div>
  )
}
