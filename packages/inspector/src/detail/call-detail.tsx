import type { Call } from '../api/types.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Panel } from '../parts/panel.tsx'

export const CallDetail = ({ id, item }: DetailProps<Call>) => (
  <Panel title={id} label="Call">
    {item !== undefined && <JsonView text={JSON.stringify(item)} />}
  </Panel>
)
