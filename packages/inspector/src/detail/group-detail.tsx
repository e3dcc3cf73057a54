import type { Group } from '../api/types.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Panel } from '../parts/panel.tsx'

export const GroupDetail = ({ id, item }: DetailProps<Group>) => (
  <Panel title={id} label="Group">
    {item !== undefined && <JsonView text={JSON.stringify(item)} />}
  </Panel>
)
