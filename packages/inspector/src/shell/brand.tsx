import icon from '../icon.svg'

export const Brand = () => (
  <div class="brand">
    <img src={icon} alt="" width="20" height="20" />
    <span>wabakit</span>
  </div>
)
