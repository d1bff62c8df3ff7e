import Glibc

/// The permissions of files that the process creates.
package enum Permissions {
  /// Removes the owner's bits from the umask, so that the process can use every file and directory that it creates: a
  /// private file has the mode 0600, a private directory 0700. Call before the first file is created.
  package static func keepOwnerAccess() { umask(umask(0o077) & 0o077) }
}
