import type { DriftedEvent } from 'wabakit/webhooks'

export const handleDrift = ({ name, raw: { callId, summary }, issues }: DriftedEvent) => {
  if (name !== 'CALL_AI_SUMMARY' || !(summary instanceof Object) || !('recap' in summary))
    throw new Error(`${name}: ${issues.map(({ message }) => message).join('; ')}`)
  console.log(callId, summary.recap)
}
