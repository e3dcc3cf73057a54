import { openSearch } from '../actions/search.tsx'
import { openSimulation } from '../actions/simulate.tsx'
import { organizationId, organizations } from '../api/organization.ts'
import { info, offered } from '../api/send.ts'
import { Button, IconButton } from '../components/button.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import { Menu } from '../components/menu.tsx'
import { Select } from '../components/select.tsx'
import { toChoices } from '../format/choices.ts'
import { getZone } from '../format/time.ts'
import { findKeys } from '../state/keyboard.ts'
import { isTrace, navigate, titles, toLink, view } from '../state/route.ts'
import { logOut, token } from '../state/session.ts'
import { masking, switchMasking, theme } from '../state/settings.ts'
import { isPhone } from '../state/viewport.ts'
import { openHelp } from './help.tsx'
import { Brand } from './login.tsx'

const themeIcons: Readonly<Record<string, IconName>> = { system: 'system', light: 'sun', dark: 'moon' }
const themes = Object.keys(themeIcons)

const OrganizationPicker = () => {
  const all = organizations.value ?? []
  if (all.length < 2) return <div class="organization">{organizationId.value}</div>
  return (
    <label class="organization">
      <Select
        label="Organization"
        value={organizationId.value ?? ''}
        choices={toChoices(all.map(({ id }) => id))}
        onChange={(organization) => navigate(view.value, { organization })}
      />
      <Icon name="down" />
    </label>
  )
}

const switchTheme = (): void => {
  const index = themes.indexOf(theme.value)
  theme.value = themes[(index + 1) % themes.length] ?? 'system'
}

const getThemeIcon = (): IconName => themeIcons[theme.value] ?? 'system'

/** A phone has no tooltips that would explain icons. */
const PhoneMenu = () => (
  <Menu
    label="Menu"
    items={[
      ...(isTrace ? [] : [{ label: 'Simulate', icon: 'play', onSelect: openSimulation } as const]),
      masking.value === 'on'
        ? { label: 'Show personal data', icon: 'eye', onSelect: switchMasking }
        : { label: 'Mask personal data', icon: 'hidden', onSelect: switchMasking },
      { label: `Color scheme: ${theme.value}`, icon: getThemeIcon(), onSelect: switchTheme },
      ...(token.value === '' ? [] : [{ label: 'Log out', icon: 'logout', onSelect: logOut } as const]),
    ]}
  />
)

export const Sidebar = () => (
  <nav class="sidebar" aria-label="Views">
    <Brand />
    <OrganizationPicker />
    <div class="finder">
      <Button icon="search" shortcut={findKeys} onClick={openSearch}>
        Find
      </Button>
    </div>
    <ul>
      {offered.value.map((name) => (
        <li key={name}>
          <a {...toLink(name)} aria-current={name === view.value ? 'page' : undefined}>
            <Icon name={name} />
            <span>{titles[name]}</span>
          </a>
        </li>
      ))}
    </ul>
    {!isTrace && !isPhone.value && (
      <div class="simulate">
        <Button icon="play" shortcut="n" onClick={openSimulation}>
          Simulate
        </Button>
      </div>
    )}
    {isPhone.value ? (
      <footer>
        <IconButton icon="search" label="Find" onClick={openSearch} />
        <PhoneMenu />
      </footer>
    ) : (
      <footer>
        <IconButton
          icon={masking.value === 'on' ? 'hidden' : 'eye'}
          label="Mask personal data"
          pressed={masking.value === 'on'}
          onClick={switchMasking}
        />
        <IconButton icon={getThemeIcon()} label={`Color scheme: ${theme.value}`} onClick={switchTheme} />
        <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={openHelp} />
        {token.value !== '' && <IconButton icon="logout" label="Log out" onClick={logOut} />}
        <span class="version" title={`All times are in ${getZone()}`}>
          {info.value && `${info.value.version} · ${getZone()}`}
        </span>
      </footer>
    )}
  </nav>
)
