package state

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// userOnly gives the ACL that lets in the current user alone. inherit is "" for a file
// and "OICI" for a folder, whose new files then start private.
func userOnly(inherit string) (*windows.ACL, error) {
	sid, err := currentUser()
	if err != nil {
		return nil, err
	}
	sd, err := windows.SecurityDescriptorFromString(fmt.Sprintf("D:P(A;%s;FA;;;%s)", inherit, sid))
	if err != nil {
		return nil, err
	}
	dacl, _, err := sd.DACL()
	return dacl, err
}

func currentUser() (*windows.SID, error) {
	u, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return u.User.Sid, nil
}

func restrict(path, inherit string) error {
	dacl, err := userOnly(inherit)
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, dacl, nil)
}

func makeFilePrivate(f *os.File) error { return restrict(f.Name(), "") }

func makeDirPrivate(dir string) error {
	if checkACL(dir) == nil {
		return nil
	}
	if err := restrict(dir, "OICI"); err != nil {
		return err
	}
	if ferr := checkACL(dir); ferr != nil {
		return errors.New(ferr.Detail)
	}
	return nil
}

func openPrivate(path string) (*os.File, error) {
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, &FileError{Path: path, Fault: FaultUnreadable, Detail: "cannot be examined", Err: err}
	case fi.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0:
		return nil, &FileError{Path: path, Fault: FaultSymlink, Detail: "is a link"}
	case !fi.Mode().IsRegular():
		return nil, &FileError{Path: path, Fault: FaultKind, Detail: "is not a regular file"}
	}
	if ferr := checkACL(path); ferr != nil {
		ferr.Path = path
		return nil, ferr
	}
	f, err := os.Open(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, &FileError{Path: path, Fault: FaultUnreadable, Detail: "cannot be opened", Err: err}
	}
	return f, err
}

// checkACL refuses a file that belongs to, or lets in, anybody but the user. An
// elevated user's files belong to Administrators, who can read all files anyway, as
// can the system itself.
func checkACL(path string) *FileError {
	unreadable := func(err error) *FileError {
		return &FileError{Fault: FaultUnreadable, Detail: "its access list cannot be read", Err: err}
	}
	user, err := currentUser()
	if err != nil {
		return unreadable(err)
	}
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return unreadable(err)
	}
	trusted := func(sid *windows.SID) bool {
		return sid != nil && (sid.Equals(user) || sid.IsWellKnown(windows.WinBuiltinAdministratorsSid) || sid.IsWellKnown(windows.WinLocalSystemSid))
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return unreadable(err)
	}
	if !trusted(owner) {
		return &FileError{Fault: FaultOwner, Detail: "belongs to " + owner.String() + ", not to you"}
	}
	dacl, _, err := sd.DACL()
	if err != nil || dacl == nil {
		return &FileError{Fault: FaultMode, Detail: "has no access list, so everybody can read it"}
	}
	for i := range uint32(dacl.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(dacl, i, &ace); err != nil {
			return unreadable(err)
		}
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE {
			continue
		}
		if sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart)); !trusted(sid) {
			return &FileError{Fault: FaultMode, Detail: "lets in " + sid.String()}
		}
	}
	return nil
}

func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}
