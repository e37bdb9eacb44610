import { Dialog } from '../parts/dialog.tsx'
import { keyList } from './keys.ts'

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose} class="keys">
      <table>
        <tbody>
          {keyList.map(([keys, what]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">While you type in a field, only Esc and Ctrl-K have an effect.</p>
      <button type="button" onClick={onClose}>
        Close <kbd>Esc</kbd>
      </button>
    </Dialog>
  )
}
