package guest

import "errors"

// checkRoot says what is wrong with the guest's folder on the guest's machine.
func (g Guest) checkRoot() error {
	switch {
	case g.Root == nil:
		return nil
	case g.ICount:
		return errors.New("a guest whose instructions are counted has no folder of the host's: its time does not wait for others")
	case g.Via == ViaBochs:
		return errors.New("by way of bochs there is no folder of the host's")
	}
	return g.Root.Check()
}
