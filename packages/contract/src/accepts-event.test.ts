import { expect, test } from 'vitest'
import { acceptsEventSource } from '../test/accepts-event-source.ts'

test('the conditions are those of the schemas', async () => {
  await expect(acceptsEventSource()).toMatchFileSnapshot('./accepts-event.ts')
})
